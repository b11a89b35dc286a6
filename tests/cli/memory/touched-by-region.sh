stagetrace memory "$DATA/touched.perf.data" --of touched --by region --format csv -q
