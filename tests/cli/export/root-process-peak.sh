stagetrace export "$DATA/traced-run" --root process --metric at-peak
