stagetrace processes "$DATA/tiny-run" --crate rustc_midle
