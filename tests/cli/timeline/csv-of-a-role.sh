stagetrace timeline "$DATA/traced-run" --every 2s --format csv --role rustc
