stagetrace memory "$DATA/traced-run" --by lifetime
