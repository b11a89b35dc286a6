stagetrace system "$DATA/traced-run" --top 1 --head
stagetrace system "$DATA/traced-run" --top 1 --head --format json | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
