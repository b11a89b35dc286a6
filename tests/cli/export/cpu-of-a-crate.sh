stagetrace export "$DATA/traced-run" --crate rustc_parse --time 2..3
