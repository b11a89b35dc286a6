stagetrace memory "$DATA/traced-run" --role link --by function
