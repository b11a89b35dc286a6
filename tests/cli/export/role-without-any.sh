stagetrace export "$DATA/traced-run" --role rustdoc
