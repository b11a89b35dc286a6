stagetrace symbols "$DATA/traced-run" --format json --top 2
