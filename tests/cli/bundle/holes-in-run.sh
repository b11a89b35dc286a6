# Many files that are holes take no room, but time and a large bundle: they count together.
cp -r "$DATA/tiny-run" run
mkdir -p run/logs
for i in $(seq 90); do
	truncate -s 60M "run/logs/$i.log"
done
for options in '' --store --scrub; do
	# shellcheck disable=SC2086 # none or one
	stagetrace bundle run $options -o run.zip 2>&1 | sed "s|$PWD/||g"
done
sed 's/"state": "done"/"state": "collecting"/' run/manifest.json >manifest
mv manifest run/manifest.json
mv run run.partial
stagetrace recover run.partial 2>&1 | sed "s|$PWD/||g"
ls
