stagetrace memory "$DATA/traced-run" --time 9.6..9.9
