stagetrace memory "$DATA/traced-run" --time 3..8 --by crate --format csv
