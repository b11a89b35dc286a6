stagetrace processes "$DATA/tiny-run" --time 45s
