# With three runs a side only what never varies is certain.
for i in 1 2 3; do
	cp -r "$DATA/traced-run" "base$i"
	sed -i "s/\"cpu_ns\":4100000000/\"cpu_ns\":41${i}0000000/" "base$i/processes.jsonl"
	cp -r "base$i" "new$i"
	cp "$DATA/grown.perf.data" "new$i/trace.perf.data"
	sed -i "s/\"cpu_ns\":41${i}0000000/\"cpu_ns\":49${i}0000000/" "new$i/processes.jsonl"
done
stagetrace compare base? -- new? --by crate --metric cpu
stagetrace compare base? -- new?
