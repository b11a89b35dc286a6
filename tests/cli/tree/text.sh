stagetrace tree "$DATA/tiny-run"
