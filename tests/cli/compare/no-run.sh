stagetrace compare base "$DATA/traced-run"
