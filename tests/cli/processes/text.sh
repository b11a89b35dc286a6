stagetrace processes "$DATA/tiny-run"
