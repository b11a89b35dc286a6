stagetrace cpu "$DATA/traced-run" --by function --format json --top 2
