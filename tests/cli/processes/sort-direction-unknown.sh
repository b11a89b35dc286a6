stagetrace processes "$DATA/tiny-run" --sort pid:down
