stagetrace cpu "$DATA/traced-run"/trace.perf.data --by function --inlines --top 1
