stagetrace memory "$DATA/traced-run" --fit 12x
