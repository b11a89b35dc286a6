stagetrace cpu "$DATA/traced-run" --format csv
