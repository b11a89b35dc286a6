stagetrace cpu "$DATA/traced-run" --by part
