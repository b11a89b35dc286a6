stagetrace export "$DATA/traced-run" --metric size
