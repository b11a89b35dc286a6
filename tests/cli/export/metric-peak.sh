stagetrace export "$DATA/traced-run" --metric peak
