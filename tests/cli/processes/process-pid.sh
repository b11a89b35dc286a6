stagetrace processes "$DATA/tiny-run" --process 107 --columns pid,start_ns,image
