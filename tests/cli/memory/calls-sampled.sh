cp -r "$DATA/sampled-calls.perf.data" .
stagetrace memory sampled-calls.perf.data
