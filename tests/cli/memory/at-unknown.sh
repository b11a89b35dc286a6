stagetrace memory "$DATA/traced-run" --at 3..4
