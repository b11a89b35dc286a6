stagetrace cpu "$DATA/traced-run" --by stack --format csv
