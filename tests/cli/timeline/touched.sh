stagetrace timeline "$DATA/touched.perf.data" --of touched --every 200ms --columns time_ns,memory_bytes,memory_time_ns,cpu_ns
