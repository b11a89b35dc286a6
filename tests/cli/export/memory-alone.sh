cp "$DATA/touched.perf.data" .
stagetrace export touched.perf.data --format folded
