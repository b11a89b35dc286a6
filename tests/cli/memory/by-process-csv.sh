stagetrace memory "$DATA/traced-run" --format csv
