stagetrace memory "$DATA/traced-run" --by functio
