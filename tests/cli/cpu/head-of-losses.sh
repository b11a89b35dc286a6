head -c 20000 "$DATA/traced-run/trace.perf.data" >short.data
stagetrace cpu short.data --top 1 --head --format csv --quiet | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
