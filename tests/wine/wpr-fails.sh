#!/usr/bin/env bash
# wpr refuses, loses events, hangs, is not installed: the messages and the run on Windows, where exit codes have 32 bits, and
# that nothing is left on the system. tests/e2e/wpr-*.sh has more cases, on Linux.
. "$SRCDIR/tests/wine/lib/wine.sh"
. "$SRCDIR/tests/e2e/lib/wpr_faults.sh"

make_wpt_checkout wpr './pause.exe 0.2'
soon_gives_up

# Do something while stage 2 is recorded: record_while EXIT COMMAND...
record_while() {
	local want=$1 rc=0 pid
	rm -f "$TESTDIR/enough"
	"$STAGETRACE" record --no-bundle test.ini --set 'stage2.command=./pause.exe 1000' \
		--set "stage2.env.TREE_UNTIL=Z:$TESTDIR/enough" >out 2>err &
	pid=$!
	wait_for partial_state recording
	"${@:2}"
	touch "$TESTDIR/enough"
	wait $pid || rc=$?
	[ $rc = "$want" ] || fail "exit code $rc, not $want: $(cat err)"
}

# A wpr of this test's that hangs, which nothing else would end.
end_hanging() {
	local pid
	for pid in $(own_processes "$STANDINS/*-stop"); do kill -KILL "$pid"; done
}
trap end_hanging EXIT

events_are_lost
# Wine takes everybody for an administrator.
wpr_is_not_elevated

# Not there.
forget
STAGETRACE_WPR=$TESTDIR/nowhere/wpr record_wpt 1
said 'there is no wpr'
said 'install the Windows Performance Toolkit of the Windows ADK'
[ ! -e runs ] || fail "something was begun"

wpr_records_already
wpr_is_taken_meanwhile --set "stage1.command='$STANDINS/wpr.exe' -start CPU -filemode -recordtempto '$PWD/theirs'"

# On Windows the whole code is known.
while IFS='|' read -r code advice; do
	start_is_refused "$code" "$advice"
	grep -q "\"exit_code\": $((code))" "$(the_run runs)/manifest.json" || fail "no exit code $code"
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

stop_crashes after
stop_fills_the_disk

# A stop hangs: it is given up after the time limit and left to its work.
forget
fault 'wpr:stop:hang-before'
record_wpt 1
said 'has not ended'
said 'stagetrace recover'
"$STAGETRACE" check test.ini >out 2>err && fail "check finds nothing"
grep -q 'still runs: stagetrace-' out || fail "$(cat out)"
grep -q 'sampling interval changed' out || fail "$(cat out)"
stop_hangs_on end_hanging

echo 'no program' >rust/build-it.exe
build_cannot_run ./build-it.exe
