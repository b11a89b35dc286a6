# A process with far more resident than committed memory, as a compiler with jemalloc: a note, where both are shown.
cp -r "$DATA/traced-run" run
sed -i '/"pid": *220,/s/"peak_rss_bytes": *[0-9]*/"peak_rss_bytes": 3221225472/' run/processes.jsonl
for view in processes 'processes --format csv' tree 'processes --crate rustc_parse' 'processes --time 0..9' \
	'processes --columns pid,peak_rss_bytes' 'processes --columns pid,peak_bytes'; do
	echo "-- $view" >&2
	# shellcheck disable=SC2086 # a command and its options
	stagetrace $view run >out
done
