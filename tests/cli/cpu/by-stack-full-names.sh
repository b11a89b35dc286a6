stagetrace cpu "$DATA/traced-run" --by stack --full-names --wide
