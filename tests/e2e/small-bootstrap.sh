#!/usr/bin/env bash
# The small bootstrap, recorded whole: every crate of stage 2 is one tagged process, CPU times add up, and both
# numberings of the directories give the same parts.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"
run= # by record_bootstrap

recorder=none
if perf record -q -o probe.data -e syscalls:sys_enter_mmap -- true >/dev/null 2>&1; then recorder=perf; fi
if [ "$recorder" = perf ]; then
	shared_bootstrap sampled
	cp "$run.time" old.time
else
	record_bootstrap old none --set bootstrap.demo.size=small --no-bundle
fi
# CPU times come exactly from taskstats only.
times=()
case $(manifest "$run" .tracker.method) in *taskstats*) times=(old.time) ;; esac
if [ "$(manifest "$run" .tracker.method)" = "polling /proc" ]; then
	echo "the processes were polled: not each short one can be asked for"
else
	python3 "$SRCDIR/tests/tools/check-run.py" "$run" "${times[@]}" || fail "the run differs from the build's own log"
fi
"$STAGETRACE" processes "$run" --role rustc --format json >old.json
python3 - old.json <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))
crates = {row["crate"] for row in rows}
assert len(crates) >= 11, crates
assert {row["part"] for row in rows} <= {"stage2-rustc", "stage1-std"}, {row["part"] for row in rows}
assert all(row["peak_rss_bytes"] > 10 << 20 for row in rows), "a rustc of under 10 MB"
print(len(rows), "rustc processes,", len(crates), "crates")
PY
for role in cargo rustc-shim link cc build-script x.py bootstrap; do
	"$STAGETRACE" processes "$run" --role $role --format csv >rows.csv
	grep -q ",$role," rows.csv || fail "no process is $role"
done
if [ "$recorder" = perf ]; then
	perf report -i "$run/trace.perf.data" --stats >stats 2>/dev/null
	for event in cpu-clock sys_enter_mprotect sys_exit_mmap sys_enter_brk; do
		grep -q "$event" stats || fail "the trace has no $event"
	done
fi

if [ "$recorder" = perf ]; then
	shared_bootstrap fp
else
	record_whole new none --set bootstrap.build.numbering=new --set bootstrap.demo.size=small --no-bundle
fi
"$STAGETRACE" processes "$run" --role rustc --format json >new.json
python3 - new.json <<'PY'
import json, sys
parts = {row["part"] for row in json.load(open(sys.argv[1]))}
assert "stage2-rustc" in parts and parts <= {"stage2-rustc", "stage1-std"}, parts
PY
nothing_left
