stagetrace compare "$DATA/traced-run"
