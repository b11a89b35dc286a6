stagetrace convert "$DATA/traced-run/trace.perf.data"
