stagetrace system "$DATA/tiny-run"
