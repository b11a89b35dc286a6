stagetrace cpu "$DATA/traced-run" --by thread
