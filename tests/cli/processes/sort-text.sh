stagetrace processes "$DATA/tiny-run" --sort crate --columns pid,crate
