stagetrace export "$DATA/traced-run" --format png
