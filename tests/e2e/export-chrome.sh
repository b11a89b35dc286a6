#!/usr/bin/env bash
# kind: cpu
# Trace events nest, and have the sums of the command line; bootstrap's own trace joins them.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/exports.sh"

make_runs
for run in plain gaps hostile; do
	expect "$run"
	"$STAGETRACE" export "$run" -o "$run.chrome.json" 2>log
	python3 "$SRCDIR/tests/e2e/lib/check_chrome.py" "$run.chrome.json" "expected-$run.json"
done

# As docs/export.md joins them.
command -v jq >/dev/null || skip "no jq here"
sed 's/"role":"cargo"/"role":"bootstrap"/' -i plain/processes.jsonl
"$STAGETRACE" export plain --time 1s.. -o late.chrome.json 2>log
echo '[{"ph":"X","pid":1,"tid":0,"ts":5.5,"dur":2,"name":"Std { stage: 1 }"}]' >bootstrap.json
sed -n "/^ *jq -s/,/joined.json$/p" "$SRCDIR/docs/export.md" | sed "s/run.chrome.json/late.chrome.json/" >join.sh
# shellcheck source=/dev/null
. ./join.sh
python3 -c '
import json
events = json.load(open("joined.json"))["traceEvents"]
assert events[-1]["name"] == "Std { stage: 1 }" and events[-1]["ts"] == 500005.5, events[-1]
assert events[:-1] == json.load(open("late.chrome.json"))["traceEvents"]'
