stagetrace processes "$DATA/tiny-run" --format csv
