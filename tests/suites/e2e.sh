#!/usr/bin/env bash
# Whole recordings: tests/e2e/*.sh, each with STAGETRACE (the program), TESTDIR (a fresh directory) and SRCDIR (the
# project). Exit 0: passed; 77: skipped, for the reason in its last line of output. A test that is not of the kind "waits" (see
# tests/run.sh) says so in a line "# kind: KIND".
#
# DIRECTORY replaces e2e as the directory of the tests, and PROGRAM is the program that STAGETRACE runs (tests/suites/wine.sh).
set -u
cd "$ROOT" || exit 1
directory=${DIRECTORY:-e2e}

# Each recording raises these settings, and restores them at its end, if they are lower; recordings at the same time would do
# that to each other. So they are high while the tests run.
raise_setting() {
	local setting=/proc/sys/kernel/$1 before

	before=$(cat "$setting" 2>/dev/null) || return 0
	[ "$before" -lt "$2" ] && echo "$2" 2>/dev/null >"$setting" || return 0
	[ -e "$SCRATCH/e2e.end" ] || echo '#!/bin/sh' >"$SCRATCH/e2e.end"
	echo "echo $before >$setting" >>"$SCRATCH/e2e.end"
	chmod +x "$SCRATCH/e2e.end"
}

list() {
	local script kind

	if [ "$directory" = e2e ]; then
		raise_setting perf_event_max_stack 192
		raise_setting task_delayacct 1
	fi
	for script in "tests/$directory"/*.sh; do
		kind=$(sed -n 's/^# kind: //p' "$script")
		case ${kind:=waits} in
		cpu | waits | alone) echo "$kind $(basename "$script" .sh)" ;;
		*) echo "FAIL $directory/$(basename "$script" .sh): there is no kind '$kind'" ;;
		esac
	done
}

# Keep what a failed test leaves, instead of what its last failure left: keep NAME DIRECTORY
keep() {
	local kept=$ROOT/$B/failed/$directory/$1

	{ [ ! -e "$kept" ] || chmod -R u+w "$kept"; } && rm -rf "$kept" && mkdir -p "${kept%/*}" &&
		mv "$2" "$kept" && echo "what it left is in $kept"
}

run() {
	local dir=$SCRATCH/$directory/$1 status

	mkdir -p "$dir/test"
	STAGETRACE=$(realpath "${PROGRAM:-$B/stagetrace}") TESTDIR=$dir/test SRCDIR=$ROOT timeout 1800 \
		bash "tests/$directory/$1.sh" >"$dir/stdout" 2>"$dir/stderr" </dev/null
	status=$?
	case $status in
	0)
		grep -h '^NOTE ' "$dir/stdout" "$dir/stderr"
		echo "PASS $directory/$1"
		;;
	77) echo "SKIP $directory/$1: $(tail -n 1 "$dir/stdout")" ;;
	*)
		cat "$dir/stdout" "$dir/stderr"
		[ $status != 124 ] || echo "stopped after 1800 seconds"
		keep "$1" "$dir/test"
		echo "FAIL $directory/$1"
		;;
	esac
	# What a test leaves is only looked at when it fails, and is large.
	chmod -R u+w "$dir"
	rm -rf "$dir" || echo "NOTE what it left could not be removed"
}

"$@"
