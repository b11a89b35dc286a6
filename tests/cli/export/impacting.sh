stagetrace export "$DATA/traced-run" --metric impacting --time 1..3
