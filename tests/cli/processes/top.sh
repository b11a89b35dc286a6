stagetrace processes "$DATA/tiny-run" --top 2 --sort cpu_ns --columns pid,cpu_ns
