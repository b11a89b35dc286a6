#!/usr/bin/env bash
# A build that cleans its environment, and so loses the cookie by which its processes are found: Ctrl-C stops it
# nevertheless, and a daemon that it leaves is named and ended.
. "$SRCDIR/tests/e2e/lib/lib.sh"

without_cookie() { checkout_processes | xargs -r ps -o comm= -p; }
both_sleep() { [ "$(without_cookie | grep -cx sleep)" = 2 ]; }

make_checkout none 'env -i PATH="$PATH" sh -c "sleep 1000 & sleep 1000"'
"$STAGETRACE" record test.ini >out 2>err &
pid=$!
wait_for partial_state recording
wait_for both_sleep
kill -INT $pid
rc=0
wait $pid || rc=$?
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
state_is "$(the_run runs)" failed
[ -z "$(without_cookie)" ] || fail "left: $(without_cookie)"

rm -rf runs
make_checkout none 'env -i PATH="$PATH" setsid sh -c "sleep 1000 &"'
"$STAGETRACE" record test.ini >out 2>err || fail "$(cat err)"
grep -q "without STAGETRACE_RUN in its environment; it was ended" err || fail "$(cat err)"
[ -z "$(without_cookie)" ] || fail "left: $(without_cookie)"
