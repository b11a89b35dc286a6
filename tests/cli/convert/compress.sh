stagetrace convert "$DATA/traced-run" -o plain.etl 2>/dev/null
stagetrace convert "$DATA/traced-run" -o packed.etl --compress 2>/dev/null
for file in plain packed; do
	python3 "$DATA/../tools/wpt/read-etl.py" $file.etl >$file
done
cmp plain packed
