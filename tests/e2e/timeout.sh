#!/usr/bin/env bash
# The time limit is reached: the build is stopped, the trace saved, the run failed.
. "$SRCDIR/tests/e2e/lib/lib.sh"

make_checkout none 'sleep 1000'
rc=0
"$STAGETRACE" record --set run.timeout=2s test.ini >out 2>err || rc=$?
[ $rc = 1 ] || fail "exit code $rc"
grep -q "time limit" err || fail "$(cat err)"
state_is "$(the_run runs)" failed
processes_are_whole "$(the_run runs)"
[ -s "$(the_run runs).zip" ] || fail "it is not bundled: $(cat err)"
nothing_left
