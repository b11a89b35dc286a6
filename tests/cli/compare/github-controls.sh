# Names cannot steer a terminal: an 8-bit control character (U+009B), U+202E and bytes that are no UTF-8 are replaced.
for side in base new; do
	cp -r "$DATA/traced-run" "$side"
	sed -i "s/\"crate\":\"rustc_middle\"/\"crate\":\"a\\\\u009b31m\\\\u202e\\\\u001b\"/" "$side/processes.jsonl"
done
cp "$DATA/grown.perf.data" new/trace.perf.data
stagetrace compare base new -q --format github
