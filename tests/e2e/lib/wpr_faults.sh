# Faults of wpr during a recording, and their effect on the run, the same on Linux and on Windows. Sourced after wpt.sh. Each
# case starts with a clean state unless it says otherwise, in a checkout of make_wpt_checkout, and leaves nothing.
# shellcheck shell=bash

# Seven events are lost: that is a failure, and the trace is kept.
events_are_lost() {
	local run
	forget
	fault wpr:session:lose=7
	record_wpt 1
	run=$(the_run runs)
	state_is "$run" failed
	[ "$(manifest "$run" .lost.trace_events)" = 7 ] || fail "lost $(manifest "$run" .lost.trace_events)"
	said 'the profiler lost 7 events'
	said '[record] buffers'
	[ -s "$run/trace.etl" ] || fail "the trace is not kept"
	wpt_is_clean
}

# Not elevated, as wpr sees it: a failed run, and nothing to recover.
wpr_is_not_elevated() {
	forget
	STANDIN_ELEVATED=0 record_wpt 1
	state_is "$(the_run runs)" failed
	said 'elevated prompt'
	wpt_is_clean
}

# Somebody else records: seen by check. The recording goes on.
wpr_records_already() {
	forget
	mkdir -p theirs
	"$STAGETRACE_WPR" -start CPU -filemode -recordtempto theirs >/dev/null
	record_wpt 1
	said 'wpr records already'
	[ ! -e runs ] || fail "something was begun"
}

# The same, but it began only after that check, in stage 1: wpr_is_taken_meanwhile [ARGUMENT...], which are record's.
wpr_is_taken_meanwhile() {
	forget
	record_wpt 1 "$@"
	state_is "$(the_run runs)" failed
	said 'in use already'
	"$STAGETRACE_WPR" -status | has 'in progress' || fail "their recording was ended"
	[ -n "$(ls theirs)" ] || fail "their files are gone"
	[ "$(calls | grep -c -e '^-cancel' -e '^-stop')" = 0 ] || fail "$(calls)"
	"$STAGETRACE_WPR" -cancel >/dev/null
	wpt_is_clean
}

# A refusal of a start has its advice: start_is_refused CODE ADVICE
start_is_refused() {
	forget
	fault "wpr:start:code=$1"
	record_wpt 1
	state_is "$(the_run runs)" failed
	said "$2"
	wpt_is_clean
}

# A crash before or after what a stop does is mended by asking again: stop_crashes before|after
stop_crashes() {
	forget
	fault "wpr:stop:crash-$1#1"
	record_wpt 0
	[ -s "$(the_run runs)/trace.etl" ] || fail "no trace after a crash $1"
	wpt_is_clean
}

# A stop that fills the disk can be done again when there is room.
stop_fills_the_disk() {
	local rc=0
	forget
	fault 'wpr:stop:nospace'
	record_wpt 1
	said 'the disk is full'
	"$STAGETRACE" recover runs/*.partial >out 2>err || rc=$?
	[ $rc = 1 ] || fail "recovered without room: $rc"
	"$STAGETRACE" check test.ini >out 2>err && fail "check finds nothing: $(cat out)"
	grep -q 'still runs' out || fail "$(cat out)"
	fault
	recover_wpt
	state_is "$(the_run runs)" "done"
	wpt_is_clean
}

# A stop has hung, and hangs for recover too: that waits in vain, and hands it to the user. Ended, it says what is lost.
# stop_hangs_on END, a command that ends what hangs
stop_hangs_on() {
	"$STAGETRACE" recover runs/*.partial >out 2>err && fail "recovered while a stop was at work"
	said 'wpr -stop, process '
	said 'end that process, then recover again'
	"$1"
	recover_wpt
	state_is "$(the_run runs)" failed
	[[ $(manifest "$(the_run runs)" .reason) == 'the trace is lost: wpr -stop has not ended'* ]] ||
		fail "$(manifest "$(the_run runs)" .reason)"
	"$1"
	wpt_is_clean
}

# A build that can't be run is found only when all is ready: the recording is thrown away. build_cannot_run COMMAND
build_cannot_run() {
	forget
	record_wpt 1 --set "stage2.command=$1"
	said "cannot run '$1'"
	[ "$(calls | grep -c '^-cancel -instancename stagetrace-')" = 1 ] || fail "$(calls)"
	wpt_is_clean
	recover_wpt
	state_is "$(the_run runs)" failed
}
