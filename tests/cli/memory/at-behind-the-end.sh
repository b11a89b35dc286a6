stagetrace memory "$DATA/traced-run" --by role --at 30
