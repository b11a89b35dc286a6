#!/usr/bin/env bash
# A bundle that is scrubbed, and one of a run that was not distilled, has all numbers of the run, and no environment.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/views.sh"
run= # by shared_bootstrap

# views BUNDLE DIRECTORY: one file each, in which the name of the host is "host" and variables have no values; these, and the row that
# says whether it is scrubbed, are apart
views() {
	write_views "$1" "$2" "processes --format csv" "tree" "cpu --by function" "cpu --by stack --top 2000 --format json" \
		"cpu --by crate --format csv" "memory --by stack --format json" "memory --of touched --by stack --format json" "memory --by crate --format csv" \
		"memory --by role --format csv" "system --format json" "export --metric cpu" "export --metric size"
	sed -i "s/\"hostname\",\"value\":\"$(hostname)\"/\"hostname\",\"value\":\"host\"/" "$2/system --format json"
	grep '"key":"scrubbed"' "$2/system --format json" >scrubbed-row || true
	grep '"section":"environment"' "$2/system --format json" >environment-rows || true
	sed -i -e '/"key":"scrubbed"/d' -e '/"section":"environment"/s/"value":".*"/"value":""/' "$2/system --format json"
	rm "$2"/*.err
}

for mode in sampled dwarf; do
	shared_bootstrap $mode
	"$STAGETRACE" bundle "$run" -o plain.zip >out
	views plain.zip plain
	[ ! -s scrubbed-row ] || fail "$mode: the plain bundle is called scrubbed"
	has '"key":"CI","value":"1"' environment-rows || fail "$mode: the plain bundle has other variables: $(cat environment-rows)"
	"$STAGETRACE" bundle "$run" --scrub -o new.zip >out
	views new.zip new
	has '"value":"yes"' scrubbed-row || fail "$mode: the scrubbed bundle is not called so"
	! grep '"value":"."' environment-rows || fail "$mode: the scrubbed bundle has values of variables"
	has '"key":"CI"' environment-rows || fail "$mode: the scrubbed bundle does not name the variables"
	diff -r plain new >difference || fail "$mode: the scrubbed bundle differs: $(head -n 20 difference)"

	# The same run as earlier versions left it: with stack copies, and the stacks of them in symbols/.
	cp -a "$run" original
	mv original/trace.stack-copies.perf.data original/trace.perf.data
	python3 - <<'PY'
import json
with open("original/manifest.json") as file:
    manifest = json.load(file)
manifest["files"] = []
with open("original/manifest.json", "w") as file:
    json.dump(manifest, file)
PY
	for options in "" --scrub; do
		"$STAGETRACE" bundle original $options -o old.zip --force >out
		[ "$(count_secrets old.zip)" = 0 ] || fail "$mode: the environment is in the bundle"
		rm -rf old
		views old.zip old
		diff -r plain old >difference || fail "$mode: the bundle of copies differs: $(head -n 20 difference)"
	done
	"$STAGETRACE" bundle original --with-stack-copies -o copies.zip >out 2>err
	has 'stack copies are packed' err || fail "no warning: $(cat err)"
	[ "$(count_secrets --any copies.zip)" -gt 0 ] || fail "the copies are not in the bundle"
	rm -rf original plain new old ./*.zip
done
