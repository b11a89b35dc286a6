stagetrace cpu "$DATA/traced-run" --by role --format csv -o roles.csv.gz 2>/dev/null
stagetrace cpu "$DATA/traced-run" --by role -o again.csv.gz 2>/dev/null
cmp roles.csv.gz again.csv.gz
python3 -c 'import gzip, sys; sys.stdout.buffer.write(gzip.open("roles.csv.gz").read())'
