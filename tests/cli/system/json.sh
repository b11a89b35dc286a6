stagetrace system "$DATA/traced-run" --format json
