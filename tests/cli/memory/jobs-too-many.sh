stagetrace memory "$DATA/traced-run" --jobs 5000
