# Five runs a side: the compiler of rustc_middle holds more and takes longer: its phases are tested, others are not.
for i in 1 2 3 4 5; do
	cp -r "$DATA/traced-run" "base$i"
	sed -i "s/\"cpu_ns\":4100000000/\"cpu_ns\":41${i}0000000/; s/\"cpu_ns\":2200000000/\"cpu_ns\":2${i}00000000/" "base$i/processes.jsonl"
	cp -r "base$i" "new$i"
	cp "$DATA/grown.perf.data" "new$i/trace.perf.data"
done
stagetrace compare base? -- new? --by crate,phase --format csv --columns crate,phase,own_peak_delta,own_peak_verdict,size_verdict
stagetrace compare base? -- new? --by phase --crate rustc_middle
stagetrace compare base? -- new? --by phase --crate rustc_parse --min-effect 0,1MB,1s --format csv --columns phase,size_verdict
stagetrace compare base? -- new? --by stack --format csv --columns stack,size_verdict --top 1
