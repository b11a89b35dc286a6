stagetrace compare "$DATA/traced-run" "$DATA/traced-run" "$DATA/traced-run"
