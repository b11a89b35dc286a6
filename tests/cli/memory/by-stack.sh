stagetrace memory "$DATA/traced-run" --by stack
