stagetrace system "$DATA/traced-run"
