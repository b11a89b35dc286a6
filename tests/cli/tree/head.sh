# The trace is read for it, whatever the columns. Its peak is of the whole build.
stagetrace tree "$DATA/traced-run" --columns pid --role link --head
stagetrace tree "$DATA/traced-run" --columns pid --role link --head --format json | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
