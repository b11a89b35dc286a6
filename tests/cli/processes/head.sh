# The trace is read for it, whatever the columns. Its peak is of the whole build.
stagetrace processes "$DATA/traced-run" --columns pid --role link --head
stagetrace processes "$DATA/traced-run" --columns pid --role link --head --format json | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
# A run without a trace, and losses of the tracker.
cp -r "$DATA/tiny-run" run
sed -i "s/\"tracker_events\": 0/\"tracker_events\": 12/; s/\"command_lines\": 0/\"command_lines\": 1/" run/manifest.json
stagetrace processes run --columns pid --top 1 --head -q
stagetrace processes run --columns pid --top 1 --head -q --format csv | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
