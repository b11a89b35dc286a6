stagetrace processes "$DATA/tiny-run" --sort peek_bytes
