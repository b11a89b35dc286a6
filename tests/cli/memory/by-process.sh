stagetrace memory "$DATA/traced-run" --by process
