stagetrace processes "$DATA/traced-run" --not-role rusty
