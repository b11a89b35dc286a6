stagetrace memory "$DATA/traced-run" --time 3..8
