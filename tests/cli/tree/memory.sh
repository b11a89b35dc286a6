stagetrace tree "$DATA/traced-run"
