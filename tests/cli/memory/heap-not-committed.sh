# A heap as jemalloc maps it is not committed: a note, also where a filter matches nothing; not of what has no such heap.
mkdir run
cp -r "$DATA/traced-run/." run
cp "$DATA/gaps.perf.data" run/trace.perf.data
cp "$DATA/gaps-stacks.txt" run/symbols/stacks.txt
stagetrace memory run --by crate --at peak
stagetrace memory run --by function --query typeck --format csv
stagetrace memory run --by crate --role link
stagetrace memory run --by crate --time 2s.. --format csv
# A compiler: less than 512 MB tell that there is more resident than committed.
sed -i '/"pid": *220,/s/"peak_rss_bytes": *[0-9]*/"peak_rss_bytes": 300000000/' run/processes.jsonl
stagetrace processes run --role rustc
