stagetrace memory "$DATA/traced-run" --fit 1GB --crate rustc_middle
