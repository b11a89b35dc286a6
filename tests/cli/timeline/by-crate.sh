stagetrace timeline "$DATA/traced-run" --by crate
COLUMNS=60 stagetrace timeline "$DATA/traced-run" --by crate --top 2 | tail -n 4
