stagetrace export "$DATA/traced-run" --root process --metric peak
