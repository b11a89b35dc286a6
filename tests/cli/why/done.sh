stagetrace why "$DATA/tiny-run"
