stagetrace memory "$DATA/traced-run" --of touched
