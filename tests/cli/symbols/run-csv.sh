stagetrace symbols "$DATA/traced-run" --format csv
