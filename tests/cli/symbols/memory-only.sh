stagetrace symbols "$DATA/touched.perf.data" --columns names,cpu_ns,size_bytes,module 2>/dev/null
