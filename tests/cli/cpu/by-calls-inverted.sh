stagetrace cpu "$DATA/traced-run" --by calls --min-share 10% --inverted --format csv
