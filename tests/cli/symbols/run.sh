stagetrace symbols "$DATA/traced-run"
