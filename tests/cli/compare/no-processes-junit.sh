# Three runs a side of which nothing is known: there is nothing to test, not even the build: one test, which is skipped.
for i in 1 2 3 4 5 6; do
	cp -r "$DATA/tiny-run" "run$i"
	: >"run$i/processes.jsonl"
done
stagetrace compare -q run[123] -- run[456] --format junit
