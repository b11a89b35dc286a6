stagetrace processes "$DATA/no-mprotect.perf.data" --format csv --columns pid,ppid,image,cpu_ns,size_bytes
