stagetrace memory "$DATA/traced-run/trace.perf.data" --jobs 4
