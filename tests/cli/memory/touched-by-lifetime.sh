stagetrace memory "$DATA/touched.perf.data" --of touched --by lifetime -q
