# What compilers with jemalloc hold is in no committed memory: so says --fit too, and has no such note of touched memory.
mkdir run
cp -r "$DATA/traced-run/." run
cp "$DATA/gaps.perf.data" run/trace.perf.data
cp "$DATA/gaps-stacks.txt" run/symbols/stacks.txt
stagetrace memory run --fit 1GB
