stagetrace processes "$DATA/tiny-run" --role cmake --format json
