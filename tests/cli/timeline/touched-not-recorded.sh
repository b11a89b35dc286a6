stagetrace timeline "$DATA/traced-run" --of touched --every 5s
