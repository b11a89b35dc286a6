stagetrace memory "$DATA/traced-run" --fit 16
