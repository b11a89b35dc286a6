stagetrace memory "$DATA/traced-run" --by part
