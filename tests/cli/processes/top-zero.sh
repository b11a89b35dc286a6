stagetrace processes "$DATA/tiny-run" --top 0
