stagetrace export "$DATA/traced-run"
