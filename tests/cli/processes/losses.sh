cp -r "$DATA/tiny-run" run
sed -i "s/\"tracker_events\": 0/\"tracker_events\": 12/; s/\"command_lines\": 0/\"command_lines\": 3/" run/manifest.json
sed -i "s/\"processes\": 0/\"processes\": 40/; s/\"warnings\": \[\]/\"warnings\": [\"the disk filled up\"]/" run/manifest.json
stagetrace processes run --top 1 --columns pid
