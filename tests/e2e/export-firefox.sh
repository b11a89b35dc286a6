#!/usr/bin/env bash
# kind: cpu
# Files for the Firefox Profiler are read by the viewer's own code, and have the sums of the command line.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/exports.sh"

make_runs
for run in plain gaps hostile; do
	expect "$run"
	"$STAGETRACE" export "$run" -o "$run.firefox.json.gz" 2>log
	python3 "$SRCDIR/tests/e2e/lib/check_firefox.py" "$run.firefox.json.gz" "expected-$run.json"
done
# The machine is that of the manifest, else of the trace.
sed -i 's/"cpu_model": "[^"]*"/"cpu_model": "<b>\\"CPU"/' hostile/manifest.json
"$STAGETRACE" export hostile --format firefox -o other.firefox.json 2>log
"$STAGETRACE" export "$SRCDIR/tests/data/no-mprotect.perf.data" -o trace.firefox.json 2>log
python3 - <<'PY'
import gzip, json
KEYS = ("platform", "oscpu", "CPUName", "logicalCPUs", "mainMemory")
for profile, machine in ((json.load(gzip.open("plain.firefox.json.gz")), ["Linux", "Linux x86_64", "Example CPU", 4, 17179869184]),
                         (json.load(open("other.firefox.json")), ["Linux", "Linux x86_64", '<b>"CPU', 4, 17179869184]),
                         (json.load(open("trace.firefox.json")), [None, "x86_64", "Example CPU", 4, 17179869184]),
                         (json.load(gzip.open("gaps.firefox.json.gz")), [None] * 5)):
    assert [profile["meta"].get(key) for key in KEYS] == machine, profile["meta"]
PY
# What is held at the start of a range counts as committed then.
"$STAGETRACE" export plain --format firefox --time 3s..5s -o - 2>log >range.json
"$STAGETRACE" memory plain --by role --time 3s..5s --head --format json -q >head.json
python3 - <<'PY'
import json
profile = json.load(open("range.json"))
counter = next(counter for counter in profile["counters"] if counter["pid"] == "0")["samples"]
assert min(counter["time"]) >= 3000 and max(counter["time"]) < 5000.001
held = highest = 0
for count in counter["count"]:
    held += count
    highest = max(highest, held)
head = json.load(open("head.json"))["head"]
assert highest == head["peak_bytes"], (highest, head)
PY

consumers= # by find_consumers
find_consumers
# The path of the session's socket is short.
export PROFILER_CLI_SESSION_DIR
PROFILER_CLI_SESSION_DIR=$(mktemp -d)
viewer() { timeout 600 node "$consumers/@firefox-devtools/profiler-cli/dist/profiler-cli.js" "$@"; }
trap 'viewer stop --all >/dev/null 2>&1; rm -rf "$PROFILER_CLI_SESSION_DIR"' EXIT
for run in plain hostile; do
	# It may say that it is not ready yet.
	viewer load "$run.firefox.json.gz" --session "$run" >load.log 2>&1 || true
	for _ in $(seq 60); do
		if viewer profile info --all --session "$run" >"$run.info" 2>info.log; then
			break
		fi
		sleep 0.5
	done
	has 'c-0: Memory' "$run.info" || fail "the viewer says: $(cat load.log info.log "$run.info")"
	viewer counter info c-0 --session "$run" >"$run.counter"
	has 'Graph type: line-accumulated' "$run.counter" || fail "the viewer says: $(cat "$run.counter")"
done
has '^Platform: Linux x86_64$' plain.info || fail "the viewer says: $(cat plain.info)"
has '^  p-.: rustc rustc_middle \[pid 220\]' plain.info || fail "the viewer says: $(cat plain.info)"
has '7 threads across 6 processes' plain.info || fail "the viewer says: $(cat plain.info)"
viewer thread markers --list --session plain >markers.txt
has 'rustc: type check' markers.txt || fail "the viewer says: $(cat markers.txt)"
