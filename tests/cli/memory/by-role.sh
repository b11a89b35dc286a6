stagetrace memory "$DATA/traced-run" --by role
