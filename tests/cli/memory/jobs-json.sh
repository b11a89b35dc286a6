stagetrace memory "$DATA/traced-run" --jobs 4 --cpus 8 --format json
