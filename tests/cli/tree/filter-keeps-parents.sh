stagetrace tree "$DATA/tiny-run" --crate core
