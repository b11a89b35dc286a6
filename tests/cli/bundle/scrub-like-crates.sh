# Names of users become none that a crate has, and functions that differ in them still differ.
cp -r "$DATA/traced-run" run
sed -i 's/"cpus": 4/"user": "alice", "home": "\/home\/alice", &/' run/manifest.json
sed -i 's/"crate":"rustc_middle"/"crate":"user"/; s/"crate":"rustc_parse"/"crate":"alice"/; s/"cwd":"[^"]*"/"cwd":"\/home\/carol"/' \
	run/processes.jsonl
sed -i 's/	__mprotect$/	alice_main/; s/	malloc$/	carol_main/' run/symbols/functions.txt
stagetrace bundle run --scrub -o public.zip >/dev/null
for view in 'cpu --by crate' 'cpu --by function' 'memory --by function'; do
	for run in run public.zip; do
		# shellcheck disable=SC2086
		stagetrace $view $run --format csv >"$run.csv" 2>/dev/null
	done
	diff run.csv public.zip.csv | grep '^[<>]' || true
done
