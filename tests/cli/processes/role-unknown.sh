stagetrace processes "$DATA/tiny-run" --role linker
