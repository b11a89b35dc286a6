stagetrace processes "$DATA/tiny-run" --format jason
