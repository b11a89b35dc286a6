stagetrace export "$DATA/traced-run" --root crate --role rustc
