stagetrace tree "$DATA/tiny-run" --format json --role link
