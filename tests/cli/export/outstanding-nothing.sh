stagetrace export "$DATA/traced-run" --metric outstanding
