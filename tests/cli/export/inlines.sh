stagetrace export "$DATA/traced-run" --inlines --crate rustc_middle --time ..2
