stagetrace convert "$DATA/traced-run" -o x.etl
python3 "$DATA/../tools/wpt/read-etl.py" x.etl | grep -v "^sample\|^pdb\|^stack 32 @[0-9]* [0-9]*/[0-9]* [0-9a-f]*$" | cut -c 1-98
ls
