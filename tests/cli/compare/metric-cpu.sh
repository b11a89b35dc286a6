cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
sed -i 's/"cpu_ns":4100000000/"cpu_ns":7100000000/' new/processes.jsonl
stagetrace compare base new --metric cpu --by role
