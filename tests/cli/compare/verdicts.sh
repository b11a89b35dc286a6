# Five runs a side: the compiler of rustc_middle holds more and takes longer, that of rustc_parse varies.
for i in 1 2 3 4 5; do
	cp -r "$DATA/traced-run" "base$i"
	sed -i "s/\"cpu_ns\":4100000000/\"cpu_ns\":41${i}0000000/; s/\"cpu_ns\":2200000000/\"cpu_ns\":2${i}00000000/" "base$i/processes.jsonl"
	cp -r "base$i" "new$i"
	cp "$DATA/grown.perf.data" "new$i/trace.perf.data"
	sed -i "s/\"cpu_ns\":41${i}0000000/\"cpu_ns\":49${i}0000000/" "new$i/processes.jsonl"
done
stagetrace compare base? -- new? --by crate
stagetrace compare base? -- new? --by crate --metric cpu --min-effect 1%,1MB,0.1s
stagetrace compare base? -- new? --by crate --format csv --head --columns crate,own_peak_verdict,cpu_verdict,cpu_p,cpu_runs
