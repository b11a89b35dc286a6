stagetrace cpu "$DATA/traced-run" --by function --full-names
