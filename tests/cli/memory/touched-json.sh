stagetrace memory "$DATA/touched.perf.data" --of touched --at 6500us --format json
