# Kills stagetrace at each write of the manifest. Sourced after lib.sh or, for kill_at_each, after wpt.sh.
# shellcheck shell=bash

# Run stagetrace and kill it at its Nth rename, by which each manifest is written: kill_at N ARGUMENT... 137: it was killed.
kill_at() {
	local at=$1
	shift
	# No blank may be in the name.
	[ -e kill-at.so ] || cp "$(dirname "$STAGETRACE")/tests/tools/kill-at.so" .
	# A sanitizer's library need not be the first.
	LD_PRELOAD=./kill-at.so KILL_AT=$at ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 "$STAGETRACE" "$@"
}

# Killed at the first rename, the second, ... until the command gets through, and recovered after each:
# kill_at_each STEPS TRACES RECOVER ARGUMENT...
# So many steps are to be hit at least, so many runs to have a trace; RECOVER is a command that ends in recover_well.
kill_at_each() {
	local least=$1 traces=$2 recover=$3 steps=0 with_trace=0 k rc run
	shift 3
	for k in $(seq 1 60); do
		forget
		rc=0
		kill_at "$k" "$@" >out 2>err || rc=$?
		if [ $rc != 137 ]; then
			[ $rc = 0 ] || fail "the whole recording ended with $rc: $(cat err)"
			state_is "$(the_run runs)" "done"
			break
		fi
		steps=$((steps + 1))
		nothing_left 15
		state=
		"$recover"
		[ -n "$state" ] || continue
		run=$(the_run runs)
		case $state in
		prepared | stage1 | starting | recording) state_is "$run" failed ;;
		*) state_is "$run" "done" ;;
		esac
		case $state in
		prepared | stage1 | starting) ;;
		*)
			[ -s "$run/trace.etl" ] || fail "killed in '$state': no trace"
			with_trace=$((with_trace + 1))
			;;
		esac
	done
	[ $steps -ge "$least" ] || fail "only $steps steps were hit"
	[ $with_trace -ge "$traces" ] || fail "only $with_trace runs have a trace"
	echo "killed at $steps steps: $*"
}
