stagetrace cpu "$DATA/traced-run" --by process
