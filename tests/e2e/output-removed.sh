#!/usr/bin/env bash
# The output directory is removed while recording: an error says so, and no process is left running.
. "$SRCDIR/tests/e2e/lib/lib.sh"

make_checkout none 'sleep 1000'
"$STAGETRACE" record test.ini >out 2>err &
pid=$!
wait_for partial_state recording
rm -rf runs
rc=0
wait $pid || rc=$?
[ $rc = 1 ] || fail "exit code $rc"
grep -q "the run directory was removed" err || fail "$(cat err)"
nothing_left
