stagetrace export "$DATA/traced-run" --metric peak --role link
