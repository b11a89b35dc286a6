stagetrace processes "$DATA/tiny-run" --wide
