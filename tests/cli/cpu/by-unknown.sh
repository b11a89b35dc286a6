stagetrace cpu "$DATA/traced-run" --by crat
