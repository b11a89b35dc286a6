# Tests of recordings by xperf, for Linux and Windows. Sourced after wpt.sh.
# shellcheck shell=bash
kernel_logger_runs() { "$STAGETRACE_XPERF" -loggers | has 'NT Kernel Logger'; }

# One that goes well, and its calls.
xperf_records() {
	local run
	record_wpt 0
	run=$(the_run runs)
	state_is "$run" "done"
	[ -s "$run/trace.etl" ] || fail "no trace"
	[ "$(manifest "$run" .lost.trace_events)" = 0 ] || fail "lost $(manifest "$run" .lost.trace_events)"
	[ ! -e "$run/recorder" ] || fail "files are left"
	calls | grep -v -e '^-help' -e '^-loggers$' |
		sed -E 's|\\|/|g; s|[^ ]*/recorder/stagetrace-[0-9a-f]{12}|DIRECTORY/NAME|; s|[^ ]*/recorder/|DIRECTORY/|' >got
	cat >wanted <<-'CALLS'
		-setprofint 5000 cached
		-on PROC_THREAD+LOADER+PROFILE+VIRT_ALLOC+MEMINFO -stackwalk Profile+VirtualAlloc+VirtualFree -buffersize 1024 -minbuffers 64 -maxbuffers 64 -f DIRECTORY/NAME.etl
		-m stage 2 starts
		-m stage 2 has ended
		-stop -d DIRECTORY/trace.etl
		-setprofint 10000 cached
	CALLS
	diff -u wanted got || fail "other calls"
	! kernel_logger_runs || fail "it still records"
}

# One that loses events.
xperf_loses() {
	forget
	fault xperf:session:lose=9
	record_wpt 1
	said 'the profiler lost 9 events'
	state_is "$(the_run runs)" failed
	fault
}

# Somebody else's recording, begun while stage 1 was built.
xperf_leaves_theirs() {
	record_wpt 1 "$@"
	said 'stagetrace does not end'
	state_is "$(the_run runs)" failed
	kernel_logger_runs || fail "theirs was ended"
}

# Killed while it records, and the logger is somebody else's by the time of recover: xperf_is_killed ARGUMENT...
xperf_is_killed() {
	local by_then pid
	mkdir -p theirs
	for by_then in ours theirs; do
		forget
		"$STAGETRACE" record --no-bundle test.ini "$@" >out 2>err &
		pid=$!
		wait_for partial_state recording
		kill -KILL $pid
		wait $pid 2>/dev/null || true
		nothing_left 15
		if [ $by_then = theirs ]; then
			"$STAGETRACE_XPERF" -stop >/dev/null
			"$STAGETRACE_XPERF" -on PROC_THREAD+LOADER -f theirs/kernel.etl >/dev/null
		fi
		recover_wpt
		state_is "$(the_run runs)" failed
		if [ $by_then = ours ]; then
			[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
			! kernel_logger_runs || fail "it still records"
		else
			kernel_logger_runs || fail "theirs was ended"
		fi
	done
	"$STAGETRACE_XPERF" -stop >/dev/null
}
