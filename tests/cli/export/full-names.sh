stagetrace export "$DATA/traced-run" --full-names
