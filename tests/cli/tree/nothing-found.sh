stagetrace tree "$DATA/tiny-run" --process nowhere
