stagetrace timeline "$DATA/traced-run" --time 0:01..2.6 --every 800ms --format json
