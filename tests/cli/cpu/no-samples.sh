cp -r "$DATA/sampled-calls.perf.data" .
stagetrace cpu sampled-calls.perf.data
