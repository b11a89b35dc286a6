stagetrace convert "$DATA/traced-run"
