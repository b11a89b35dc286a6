stagetrace tree "$DATA/tiny-run" --top 3
