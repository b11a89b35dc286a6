cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
sed -i 's/"rustc_middle"/"\\u001b[31mred"/g' new/processes.jsonl
stagetrace compare base new --by crate
