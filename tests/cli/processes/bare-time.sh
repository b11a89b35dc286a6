stagetrace processes "$DATA/traced-run/trace.perf.data" --time 1..3 --format csv --columns pid,image,cpu_ns,size_bytes,peak_bytes,at_peak_bytes
