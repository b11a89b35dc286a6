stagetrace export "$DATA/traced-run" --root thread
