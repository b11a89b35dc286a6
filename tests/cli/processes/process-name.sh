stagetrace processes "$DATA/tiny-run" --process rustc --columns pid,image
