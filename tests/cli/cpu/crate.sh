stagetrace cpu "$DATA/traced-run" --crate rustc_middle --by function --top 3
