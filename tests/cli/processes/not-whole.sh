cp -r "$DATA/tiny-run" run.partial
sed -i "s/\"done\"/\"recording\"/" run.partial/manifest.json
stagetrace processes run.partial --top 1 --columns pid
