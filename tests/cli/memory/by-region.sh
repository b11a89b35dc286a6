stagetrace memory "$DATA/traced-run" --by region --top 6
