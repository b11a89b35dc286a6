stagetrace processes "$DATA/traced-run/trace.perf.data"
