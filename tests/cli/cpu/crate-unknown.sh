stagetrace cpu "$DATA/traced-run" --crate rustc_midle --format json
