# The name of the file and --format agree, or it is refused before the trace is read.
run() {
	local code=0

	stagetrace "$@" >said 2>&1 || code=$?
	printf '%s: %d, %s\n' "$*" "$code" "$(sed 's/^stagetrace: //' said)"
}

for name in x.json x.CSV x.txt x x.out; do
	stagetrace cpu "$DATA/traced-run" --by role --top 1 -o $name
	echo "-- $name"
	tail -n 2 $name
done
stagetrace cpu "$DATA/traced-run" --by role --top 1 -o y --format json
head -c 2 y
stagetrace export "$DATA/traced-run" -o x.svg 2>/dev/null
head -c 5 x.svg
echo
run cpu none -o z.json --format csv
run tree none -o z.csv --format text
run timeline none -o z.txt --format json
run memory none -o z.svg
run memory none -o z.svg --format json
run export none -o z.json
run export none -o z.folded --format svg
run export none -o z.svg --format folded
ls
