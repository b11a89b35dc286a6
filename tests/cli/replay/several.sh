# A crate that was compiled more than once: each call is listed with what chooses it.
mkdir run
cp "$DATA/tiny-run/manifest.json" run
printf "[record]\nrecorder = none\n" >run/config.ini
row() {
	printf '{"pid":%s,"ppid":1,"start_ns":%s,"end_ns":9,"image":"rustc","exe":"/no/rustc","role":"rustc","crate":"core","crate_type":"lib","built_by":1,"part":"%s","target":null,"cpu_ns":2500000000,"argv":["rustc","--crate-name","core","lib.rs"],"cwd":"/no","env":{}}\n' "$1" "$1" "$2"
}
{
	row 7 stage1-std
	row 8 stage2-std
	row 9 stage2-std
} >run/processes.jsonl
for options in '--crate core' '--crate core --part stage2-std' '--part stage1-std --crate core --dry-run' '--pid 9'; do
	rc=0
	# shellcheck disable=SC2086
	stagetrace replay run $options || rc=$?
	echo "$rc"
done 2>&1 | sed -E "s|$PWD|HERE|g; s|[0-9]{8}T[0-9]{6}Z|TIME|; s|[^ =]*/stagetrace\.[A-Za-z0-9]*/|TEMP/|"
