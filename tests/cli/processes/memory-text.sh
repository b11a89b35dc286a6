stagetrace processes "$DATA/traced-run" --role rustc
