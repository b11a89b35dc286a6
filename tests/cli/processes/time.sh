stagetrace processes "$DATA/tiny-run" --time 45s..1m --columns pid,start_ns,end_ns
