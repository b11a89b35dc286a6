stagetrace tree "$DATA/traced-run/trace.perf.data"
