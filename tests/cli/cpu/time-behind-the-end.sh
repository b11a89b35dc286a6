stagetrace cpu "$DATA/traced-run" --time 20..
