#!/usr/bin/env bash
# Stage 1 fails: stage 2 is not started, the run is kept with the log of stage 1, and no process is left.
. "$SRCDIR/tests/e2e/lib/lib.sh"

make_checkout none 'touch stage2-ran' 'echo a broken crate >&2; exit 3'
rc=0
"$STAGETRACE" record test.ini >out 2>err || rc=$?
[ $rc = 1 ] || fail "exit code $rc"
grep -q "stage 1 failed with exit code 3; its output is in '.*/logs/stage1.log'" err || fail "$(cat err)"
[ ! -e rust/stage2-ran ] || fail "stage 2 was run"
run=$(the_run runs)
case $run in *.partial) fail "the run kept its partial name" ;; esac
state_is "$run" failed
grep -q "a broken crate" "$run/logs/stage1.log" || fail "the log is not there"
nothing_left
