stagetrace memory "$DATA/traced-run" --cpus 4
