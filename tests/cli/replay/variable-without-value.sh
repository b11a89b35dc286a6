# An environment may have texts that are no variables, in a run of a stranger more than elsewhere: they are left out.
mkdir run
cp "$DATA/tiny-run/manifest.json" run
printf "[record]\nrecorder = none\n" >run/config.ini
row='{"pid":7,"start_ns":1,"exe":"/no/rustc","role":"rustc","argv":["rustc","a.rs"],"cwd":"/no","env":{"A":"1"},"env_other":["B","","=c","A=2"]}'
echo "$row" >run/processes.jsonl
for trust in '' --trust; do
	rc=0
	# shellcheck disable=SC2086 # none or one
	stagetrace replay run --pid 7 --dry-run $trust || rc=$?
	echo "$rc"
done 2>&1 | sed -E "s|$PWD|HERE|g; s|[0-9]{8}T[0-9]{6}Z|TIME|g; s|[^ =]*/stagetrace\.[A-Za-z0-9]*/|TEMP/|"
