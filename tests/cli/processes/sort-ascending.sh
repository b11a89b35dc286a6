stagetrace processes "$DATA/tiny-run" --sort duration_ns:asc --columns pid,duration_ns
