#!/usr/bin/env bash
# wpr refuses, loses events, hangs, is not there: what the run says on Windows, where exit codes have all their bits, and
# that nothing is left behind. tests/e2e/wpr-*.sh has more cases of the same, on Linux.
. "$SRCDIR/tests/wine/lib/wine.sh"

make_wpt_checkout wpr './pause.exe 0.2'

# Do something while stage 2 is recorded: record_while EXIT COMMAND...
record_while() {
	local want=$1 rc=0 pid
	"$STAGETRACE" record --no-bundle test.ini --set 'stage2.command=./pause.exe 8' >out 2>err &
	pid=$!
	wait_for 60 partial_state recording
	"${@:2}"
	wait $pid || rc=$?
	[ $rc = "$want" ] || fail "exit code $rc, not $want: $(cat err)"
}

# A wpr of this test's that hangs, which nothing else would end.
end_hanging() {
	local pid
	for pid in $(own_processes "$STANDINS/*-stop"); do kill -KILL "$pid"; done
}
trap end_hanging EXIT

# Lost events are a failure; the trace is kept.
fault wpr:session:lose=7
record_wpt 1
run=$(the_run runs)
state_is "$run" failed
[ "$(manifest "$run" .lost.trace_events)" = 7 ] || fail "lost $(manifest "$run" .lost.trace_events)"
said 'the recorder lost 7 events'
said '[record] buffers'
[ -s "$run/trace.etl" ] || fail "the trace is not kept"
wpt_is_clean

# Not elevated, as wpr sees it. (Wine takes everybody for an administrator.)
forget
STANDIN_ELEVATED=0 record_wpt 1
state_is "$(the_run runs)" failed
said 'elevated prompt'
wpt_is_clean

# Not there.
forget
STAGETRACE_WPR=$TESTDIR/nowhere/wpr record_wpt 1
said 'there is no wpr'
said 'install the Windows Performance Toolkit of the Windows ADK'
[ ! -e runs ] || fail "something was begun"

# Somebody else records: seen by check, and where it began only after, it is left alone.
forget
mkdir -p theirs
"$STAGETRACE_WPR" -start CPU -filemode -recordtempto theirs >/dev/null
record_wpt 1
said 'wpr records already'
[ ! -e runs ] || fail "something was begun"
forget
record_wpt 1 --set "stage1.command='$STANDINS/wpr.exe' -start CPU -filemode -recordtempto '$PWD/theirs'"
state_is "$(the_run runs)" failed
said 'in use already'
"$STAGETRACE_WPR" -status | grep -q 'in progress' || fail "their recording was ended"
[ "$(calls | grep -c -e '^-cancel' -e '^-stop')" = 0 ] || fail "$(calls)"
"$STAGETRACE_WPR" -cancel >/dev/null
wpt_is_clean

# A refusal of a start has its advice, and leaves nothing. CODE|ADVICE
while IFS='|' read -r code advice; do
	forget
	fault "wpr:start:code=$code"
	record_wpt 1
	state_is "$(the_run runs)" failed
	said "$advice"
	grep -q "\"exit_code\": $((code))" "$(the_run runs)/manifest.json" || fail "no exit code $code"
	wpt_is_clean
done <<'CODES'
0xc5583014|logman query -ets
0xdeadbeef|wpr -start failed with 0xdeadbeef
CODES

# The recording ends by itself, as on a full disk: lost, and said so. Somebody has cancelled it.
forget
record_while 1 fault wpr:session:end
state_is "$(the_run runs)" failed
said 'the trace is lost'
fault
wpt_is_clean
forget
cancel_ours() { "$STAGETRACE_WPR" -cancel -instancename "$(grep -o 'stagetrace-[0-9a-f]*' "$STANDIN_LOG" | tail -n 1)" >/dev/null; }
record_while 1 cancel_ours
state_is "$(the_run runs)" failed
said 'no recording runs'
wpt_is_clean

# A crash after a stop is mended by asking again.
forget
fault 'wpr:stop:crash-after#1'
record_wpt 0
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace after a crash"
wpt_is_clean

# A stop that fills the disk can be done again when there is room.
forget
fault 'wpr:stop:nospace'
record_wpt 1
said 'the disk is full'
"$STAGETRACE" recover runs/*.partial >out 2>err && fail "recovered without room"
"$STAGETRACE" check test.ini >out 2>err && fail "check finds nothing: $(cat out)"
grep -q 'still runs' out || fail "$(cat out)"
fault
recover_wpt
state_is "$(the_run runs)" "done"
wpt_is_clean

# A stop hangs: it is given up after the time limit and left to its work, for which recover waits in vain. It hangs for
# recover too: that ends it, and says what is lost.
forget
fault 'wpr:stop:hang-before'
record_wpt 1
said 'has not ended'
said 'stagetrace recover'
"$STAGETRACE" check test.ini >out 2>err && fail "check finds nothing"
grep -q 'still runs: stagetrace-' out || fail "$(cat out)"
grep -q 'sampling interval changed' out || fail "$(cat out)"
"$STAGETRACE" recover runs/*.partial >out 2>err && fail "recovered beside a stop that is at work"
said 'end that process, then recover again'
end_hanging
recover_wpt
state_is "$(the_run runs)" failed
[[ $(manifest "$(the_run runs)" .reason) == 'the trace is lost: wpr -stop has not ended'* ]] ||
	fail "$(manifest "$(the_run runs)" .reason)"
wpt_is_clean
end_hanging

# A program that can't be run is found only when all is ready: the recording is thrown away.
forget
echo 'no program' >rust/build-it.exe
record_wpt 1 --set stage2.command=./build-it.exe
said "cannot run './build-it.exe'"
[ "$(calls | grep -c '^-cancel -instancename stagetrace-')" = 1 ] || fail "$(calls)"
wpt_is_clean
recover_wpt
state_is "$(the_run runs)" failed
