stagetrace system "$DATA/traced-run" --role rustc
