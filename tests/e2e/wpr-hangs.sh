#!/usr/bin/env bash
# A stop takes long, or does not end: progress, Ctrl-C, the time limit, and recover.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/wpr_faults.sh"

make_wpt_checkout wpr 'sleep 0.2'
soon_gives_up

# Stand-ins of this test that hang, which nothing else would end.
end_hanging() {
	for pid in $(pgrep -f "^$STAGETRACE_WPR -stop $TESTDIR/"); do kill -KILL "$pid"; done
}
trap end_hanging EXIT

# Longer than the time limit without a byte written: given up, and left to its work; recover saves it.
fault 'wpr:stop:hang-before#1'
record_wpt 1
said 'has not ended'
said 'stagetrace recover'
"$STAGETRACE" check test.ini >out 2>err && fail "check finds nothing"
grep -q 'still runs: stagetrace-' out || fail "$(cat out)"
grep -q 'sampling interval changed' out || fail "$(cat out)"
end_hanging
recover_wpt
state_is "$(the_run runs)" "done"
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
wpt_is_clean

forget
fault 'wpr:stop:hang-before'
record_wpt 1
stop_hangs_on end_hanging

# Ctrl-C while it saves: the first one waits on, the second leaves it to itself, and recover takes what it wrote.
forget
fault 'wpr:stop:sleep=100'
"$STAGETRACE" record --no-bundle --set record.stop-timeout=none test.ini >out 2>err &
pid=$!
wait_for pgrep -f "^$STAGETRACE_WPR -stop $TESTDIR/"
kill -INT $pid
wait_for grep -q 'still being saved' err
kill -0 $pid || fail "it did not wait"
kill -INT $pid
rc=0
wait $pid || rc=$?
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
said 'stagetrace recover'
recover_waits stop recover_well
state_is "$(the_run runs)" "done"
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
wpt_is_clean

# Ctrl-C while it builds: what was recorded is saved. Twice, where the build takes no notice: it is thrown away.
interrupt_build() {
	local rc=0 pid
	forget
	make_wpt_checkout wpr "$1"
	[ "$2" = 1 ] || sed -i '1i import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)' rust/x.py
	"$STAGETRACE" record --no-bundle test.ini >out 2>err &
	pid=$!
	wait_for build_runs sleep
	kill -INT $pid
	if [ "$2" = 2 ]; then
		wait_for grep -q 'stopping the build' err
		kill -INT $pid
	fi
	wait $pid || rc=$?
	[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
	wpt_is_clean
	nothing_left 10
}
interrupt_build 'sleep 1000' 1
state_is "$(the_run runs)" failed
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
interrupt_build 'trap "" TERM INT; sleep 1000' 2
said 'abandoned by the user'
[ -z "$(find runs -name trace.etl)" ] || fail "a trace of what was thrown away"

# The disk of the recorder's files fills up: stopped while there is room to merge them.
# (The trace is there twice then; the limit is raised instead of the disk filled.)
forget
make_wpt_checkout wpr 'sleep 1000'
space=$(($(df --output=avail -B1 . | tail -n 1) / 1073741824))
if [ $space -lt 2 ]; then
	echo "NOTE too little room for the case of a full disk"
	exit 0
fi
mkdir -p temp
"$STAGETRACE" record --no-bundle --set record.temp="$TESTDIR/temp" test.ini >out 2>err &
pid=$!
wait_for partial_state recording
truncate -s $((space + 1))G "$(echo temp/stagetrace-*)/filler"
rc=0
wait $pid || rc=$?
rm -rf temp/*/filler
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
said 'the disk is nearly full'
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
