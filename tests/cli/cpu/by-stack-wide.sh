stagetrace cpu "$DATA/traced-run" --by stack --wide --top 3
