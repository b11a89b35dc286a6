stagetrace timeline "$DATA/traced-run"
