#!/usr/bin/env bash
# stagetrace and its guard are killed, and perf still writes its file when recover starts: recover waits for it. The
# environment of perf cannot be read, so it is not found by the cookie.
. "$SRCDIR/tests/e2e/lib/lib.sh"

mkdir bin
cp "$SRCDIR/tests/tools/fake-perf" bin/perf
export PATH=$PWD/bin:$PATH FAKE_PERF=closed,slow
make_checkout perf 'sleep 1000'

"$STAGETRACE" record --no-bundle test.ini >out 2>err &
pid=$!
wait_for partial_state recording
wait_for test -e "$(echo runs/*.partial)/trace.perf.data"
perf=$(pgrep -f "bin/perf record .*$PWD/runs/")
guard=$(guard_of $pid)
kill -KILL $pid "$guard"
wait $pid || true
[ "$(manifest "$(echo runs/*.partial)" .commands.1.process | cut -d @ -f 1)" = "$perf" ] ||
	fail "perf is $perf: $(manifest "$(echo runs/*.partial)" .commands)"
"$STAGETRACE" recover runs/*.partial >out 2>err || fail "recover: $(cat err)"
grep -q "perf record of the interrupted recording still runs (process $perf)" err || fail "$(cat err)"
grep -q 'a trace of 1' err || fail "$(cat err)"
run=$(the_run runs)
state_is "$run" failed
[ -s "$run/trace.perf.data" ] || fail "no trace"
! grep -q '"process"' "$run/manifest.json" || fail "a process is left in the manifest"
nothing_left
