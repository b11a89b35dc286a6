#!/usr/bin/env bash
# Ctrl-C once: the build is stopped, what was recorded is saved, as a failed run.
. "$SRCDIR/tests/e2e/lib/lib.sh"

perf_works
make_checkout perf 'for i in 1 2 3; do sleep 1000 & done; sleep 1000'
"$STAGETRACE" record test.ini >out 2>err &
pid=$!
wait_for build_runs sleep
kill -INT $pid
rc=0
wait $pid || rc=$?
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
grep -q "interrupted by the user" err || fail "$(cat err)"
run=$(the_run runs)
case $run in *.partial) fail "the run kept its partial name: $(cat err)" ;; esac
state_is "$run" failed
[ ! -e "$run.zip" ] || fail "it is bundled"
processes_are_whole "$run"
perf report -i "$run/trace.perf.data" --stats >/dev/null 2>stats || fail "perf can't read the trace: $(cat stats)"
nothing_left
