stagetrace cpu "$DATA/traced-run" --by role,crate
