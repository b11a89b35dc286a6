stagetrace cpu "$DATA/traced-run" --by stack --inlines --crate rustc_middle --time ..2
