stagetrace memory "$DATA/traced-run" --jobs 2 --fit 1GB --format json
