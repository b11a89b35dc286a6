stagetrace memory "$DATA/traced-run" --by function --format json --top 2
