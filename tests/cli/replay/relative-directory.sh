# No recording has a relative directory, a stranger's run may: it is the same that --dry-run shows, and not one in the run.
mkdir -p run/there there
cp "$DATA/tiny-run/manifest.json" run
printf "[record]\nrecorder = none\n" >run/config.ini
echo '{"pid":7,"start_ns":1,"exe":"/bin/true","role":"rustc","argv":["rustc","-vV"],"cwd":"there","env":{"A":"1"}}' >run/processes.jsonl
for trust in '' --trust; do
	# shellcheck disable=SC2086 # none or one
	stagetrace replay run --pid 7 --dry-run -s record.min-free-disk=1MB $trust | sed -n "s|$PWD|HERE|g; s/ && .*//p"
done 2>/dev/null
