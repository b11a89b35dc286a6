stagetrace tree "$DATA/tiny-run" --format csv
