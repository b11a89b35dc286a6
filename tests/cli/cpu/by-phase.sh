stagetrace cpu "$DATA/traced-run" --by phase
