cp -r "$DATA/traced-run" .
: >traced-run/trace.perf.data
stagetrace processes traced-run --top 2
