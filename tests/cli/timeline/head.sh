stagetrace timeline "$DATA/traced-run" --every 1s --top 2 --head --format json | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
# A range after the end has no steps, and still the form that was asked for.
stagetrace timeline "$DATA/traced-run" --time 50.. --head --format json | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
