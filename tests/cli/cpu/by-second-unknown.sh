stagetrace cpu "$DATA/traced-run" --by crate,phases
