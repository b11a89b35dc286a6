stagetrace memory "$DATA/traced-run" --by thread
