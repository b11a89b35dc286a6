# A heap as jemalloc maps it is in none of the memory that is shown: the note of `memory`, also of a picture, and not of what
# has no such heap or of touched memory.
cp -r "$DATA/traced-run" run
cp "$DATA/gaps.perf.data" run/trace.perf.data
cp "$DATA/gaps-stacks.txt" run/symbols/stacks.txt
timeline() {
	echo "timeline $*" >&2
	stagetrace timeline run -o out --force "$@"
}
timeline --every 5s
timeline --by crate --format csv
timeline --format svg
timeline --every 5s --role link
timeline --every 5s --of touched
