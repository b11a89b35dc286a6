stagetrace export "$DATA/traced-run" -o nowhere/out
