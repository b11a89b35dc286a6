#!/usr/bin/env bash
# The small bootstrap, recorded whole: every crate of stage 2 is one tagged process, CPU times add up, and both
# numberings of the directories give the same parts.
. "$SRCDIR/tests/e2e/lib/lib.sh"

PATH=$PATH:$HOME/.cargo/bin
command -v rustc >/dev/null && command -v cargo >/dev/null || skip "rustc and cargo are not installed"
[ -d /usr/share/cargo/registry ] || skip "no crates are installed (tests/tools/setup.sh demo)"
recorder=none
if perf record -q -o probe.data -e syscalls:sys_enter_mmap -- true >/dev/null 2>&1; then recorder=perf; fi
mkdir rust
(cd "$SRCDIR/tests/bootstrap" && tar c --exclude=./build .) | tar x -C rust

# record_bootstrap NAME ARGUMENTS...
record_bootstrap() {
	local name=$1
	shift
	cat >"$name.ini" <<-INI
		[run]
		name = $name
		source = rust
		output = runs-$name
		[bootstrap]
		rust.debuginfo-level = 1
		rust.frame-pointers = true
		build.build-dir = build-$name
		[stage1]
		command = python3 x.py build --stage 1 -i library
		[stage2]
		command = time -v -o $TESTDIR/$name.time python3 x.py build --stage 2 -i library
		[record]
		recorder = $recorder
		buffers = 64
		min-free-disk = 1GB
	INI
	"$STAGETRACE" record "$name.ini" "$@" >"$name.out" 2>"$name.err" || fail "$(cat "$name.err" "$name.out")"
	cat "$name.out"
	run=$(the_run "runs-$name")
	state_is "$run" "done"
	[ "$(manifest "$run" .lost.trace_events)" = 0 ] || [ "$recorder" = none ] || fail "events were lost"
}

record_bootstrap old
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
assert len(crates) >= 12, crates
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

record_bootstrap new --set bootstrap.build.numbering=new --set bootstrap.demo.size=small --no-bundle
"$STAGETRACE" processes "$run" --role rustc --format json >new.json
python3 - new.json <<'PY'
import json, sys
parts = {row["part"] for row in json.load(open(sys.argv[1]))}
assert "stage2-rustc" in parts and parts <= {"stage2-rustc", "stage1-std"}, parts
PY
nothing_left
