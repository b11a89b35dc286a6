stagetrace memory "$DATA/touched.perf.data" --of touched --by stack --format csv --columns stack,at_peak_bytes,error_bytes,count
