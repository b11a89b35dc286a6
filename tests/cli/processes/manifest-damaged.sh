cp -r "$DATA/tiny-run" run
echo "{" >run/manifest.json
stagetrace processes run --top 1 --columns pid
