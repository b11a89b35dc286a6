stagetrace memory "$DATA/traced-run/trace.perf.data"
