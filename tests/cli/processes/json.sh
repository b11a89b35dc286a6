stagetrace processes "$DATA/tiny-run" --format json
