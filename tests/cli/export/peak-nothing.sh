stagetrace export "$DATA/traced-run" --metric at-peak --role link
