# Heaps as jemalloc maps them are in none of the values: no change of them is no answer, and a note says so, once.
cp -r "$DATA/traced-run" base
cp "$DATA/gaps.perf.data" base/trace.perf.data
cp "$DATA/gaps-stacks.txt" base/symbols/stacks.txt
cp -r base new
stagetrace compare base new
