stagetrace convert "$DATA/no-mprotect.perf.data" -o x.etl
python3 "$DATA/../tools/wpt/read-etl.py" --counts x.etl
python3 "$DATA/../tools/wpt/read-etl.py" x.etl | sed -n 1p
