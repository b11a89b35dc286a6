stagetrace export "$DATA/touched.perf.data" --of touched --metric size --root process
