stagetrace cpu "$DATA/traced-run" --time 2..3 --by function
