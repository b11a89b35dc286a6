#!/usr/bin/env bash
# Ctrl-C in a console of Windows, as far as Wine has one: what was recorded is saved; while the trace is saved the first one does
# not interrupt, the second does. wpr has its own console. Without Ctrl-Break, which Wine lacks, the build is not asked to end, but
# ended, so no second Ctrl-C finds it: tests/e2e/interrupt-twice.sh tests that.
. "$SRCDIR/tests/wine/lib/wine.sh"

make_wpt_checkout wpr './pause.exe 1000'
mkfifo keys

# record_in_terminal ARGUMENT... leaves its number in $pid.
record_in_terminal() {
	python3 "$SRCDIR/tests/wine/lib/terminal.py" keys \
		sh -c 'exec "$0" "$@" 2>err' "$STAGETRACE" record --no-bundle test.ini "$@" >out &
	pid=$!
}

# ends_with EXIT
ends_with() {
	local rc=0
	wait $pid || rc=$?
	[ $rc = "$1" ] || fail "exit code $rc: $(cat err)"
}

record_in_terminal
wait_for partial_state recording
wait_for build_runs pause
echo >keys
ends_with 1
nothing_left 10
wpt_is_clean
said 'interrupted by the user: stopping the build'
state_is "$(the_run runs)" failed
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
processes_are_whole "$(the_run runs)"

# Ours may be closed, which would end what is in it.
forget
cat >in-console.cmd <<-'CMD'
	@echo off
	if "%1"=="-stop" echo wpr writes>CON
	"%WPR%" %*
CMD
real=Z:$STAGETRACE_WPR.exe
WPR=$real STAGETRACE_WPR=$PWD/in-console.cmd record_in_terminal --set 'stage2.command=./pause.exe 0.2'
ends_with 0
[ "$(calls | grep -c '^-stop')" = 1 ] || fail "$(calls)"
! grep -q 'wpr writes' out || fail "wpr is in our console: $(cat out)"

# While it saves.
forget
fault 'wpr:stop:sleep=100'
record_in_terminal --set record.stop-timeout=none --set 'stage2.command=./pause.exe 0.2'
stops() { own_processes "$STANDINS/*-stop" | grep .; }
wait_for stops
echo >keys
wait_for grep -q 'still being saved' err
kill -0 $pid || fail "it did not wait"
echo >keys
ends_with 1
said 'stagetrace recover'
recover_waits stop recover_well
state_is "$(the_run runs)" "done"
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
wpt_is_clean
