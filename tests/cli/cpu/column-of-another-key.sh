stagetrace cpu "$DATA/traced-run" --by role --columns crate
