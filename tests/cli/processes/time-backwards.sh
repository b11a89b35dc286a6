stagetrace processes "$DATA/tiny-run" --time 2..1
