#!/usr/bin/env bash
# Ctrl-C twice abandons the recording at once, even if the build ignores it; recover closes the run.
. "$SRCDIR/tests/e2e/lib/lib.sh"

perf_works
make_checkout perf 'trap "" TERM INT; touch ready; while :; do sleep 1; done'
sed -i '1i import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)' rust/x.py
"$STAGETRACE" record test.ini >out 2>err &
pid=$!
wait_for partial_state recording
wait_for test -e rust/ready
kill -INT $pid
wait_for grep -q 'stopping the build' err
kill -INT $pid
rc=0
wait $pid || rc=$?
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
grep -q "abandoned by the user" err || fail "$(cat err)"
nothing_left
"$STAGETRACE" recover runs/*.partial >out 2>err || fail "recover: $(cat err)"
state_is "$(the_run runs)" failed
