stagetrace processes "$DATA/tiny-run" --crate 'rustc_*' --part stage2-rustc --columns pid,crate,part
