stagetrace memory "$DATA/traced-run" --by module
