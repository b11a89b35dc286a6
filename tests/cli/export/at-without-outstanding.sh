stagetrace export "$DATA/traced-run" --metric at-peak --at 1s
