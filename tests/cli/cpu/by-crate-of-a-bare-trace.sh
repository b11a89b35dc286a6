stagetrace cpu "$DATA/traced-run/trace.perf.data" --by crate
