stagetrace cpu "$DATA/traced-run" --by calls
