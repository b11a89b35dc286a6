#!/usr/bin/env bash
# Stage 2 fails: the run is kept, marked failed, with trace and tags intact.
. "$SRCDIR/tests/e2e/lib/lib.sh"

perf_works
make_checkout perf 'true; echo error: it does not compile >&2; exit 101'
rc=0
"$STAGETRACE" record test.ini >out 2>err || rc=$?
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
has "^  next        stagetrace why .*/runs/test-" out || fail "$(cat out)"
grep -q "stage 2 failed with exit code 101; its output is in '.*/logs/stage2.log'" err || fail "$(cat err)"
run=$(the_run runs)
state_is "$run" failed
grep -q "it does not compile" "$run/logs/stage2.log" || fail "the log is not there"
processes_are_whole "$run"
perf report -i "$run/trace.perf.data" --stats >stats 2>&1 || fail "perf can't read the trace: $(cat stats)"
grep -q "sys_enter_mmap" stats || fail "the trace has no memory events"
[ -e "$run.zip" ] || fail "the failed run was not bundled"
"$STAGETRACE" why -q "$run.zip" --format csv >why.csv || fail "why cannot read the bundle"
grep -q "it does not compile" why.csv || fail "$(cat why.csv)"
nothing_left
