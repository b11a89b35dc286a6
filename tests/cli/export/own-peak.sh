stagetrace export "$DATA/traced-run" --role rustc --metric own-peak
