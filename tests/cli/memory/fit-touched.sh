stagetrace memory "$DATA/traced-run" --fit 1GB --of touched
