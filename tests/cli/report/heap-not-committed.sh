# A heap as jemalloc maps it is missing in the memory of a page, which says so before all else; not of what has no such heap.
mkdir run
cp -r "$DATA/traced-run/." run
cp "$DATA/gaps.perf.data" run/trace.perf.data
cp "$DATA/gaps-stacks.txt" run/symbols/stacks.txt
for run in run "$DATA/traced-run"; do
	stagetrace report "$run" -q --force
	grep -c '<li>heaps were mapped in a way that does not count as committed, .*</li>' report.html || true
done
