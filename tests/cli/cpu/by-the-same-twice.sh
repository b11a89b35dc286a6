stagetrace cpu "$DATA/traced-run" --by crate,crate
