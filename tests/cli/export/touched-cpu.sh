stagetrace export "$DATA/touched.perf.data" --of touched
