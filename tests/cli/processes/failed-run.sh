cp -r "$DATA/tiny-run" run
sed -i "s/\"state\": \"done\"/\"state\": \"failed\", \"reason\": \"stage 2 ended with 1\"/" run/manifest.json
stagetrace processes run --top 1 --columns pid
