stagetrace tree "$DATA/tiny-run" --sort peek
