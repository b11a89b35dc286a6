stagetrace export "$DATA/traced-run" --metric peak --at 1s
