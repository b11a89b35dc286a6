stagetrace cpu "$DATA/traced-run/trace.perf.data" --by function --top 5
