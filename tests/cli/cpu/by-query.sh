stagetrace cpu "$DATA/traced-run" --by query --format json
