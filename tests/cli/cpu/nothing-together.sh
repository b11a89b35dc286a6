stagetrace cpu "$DATA/traced-run" --role link --crate rustc_middle
