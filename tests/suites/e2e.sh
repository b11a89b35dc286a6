#!/usr/bin/env bash
# Whole recordings: tests/e2e/*.sh, one after the other, each with STAGETRACE (the program), TESTDIR (a fresh
# directory), SRCDIR (the project) and BUILT (where the Makefile has built). With WINE (tests/suites/wine.sh) those in
# tests/e2e/wine instead, with the program for Windows. Exit 0: passed; 77: skipped, for the reason in its last line
# of output.
set -u
cd "$ROOT" || exit 1

for script in "tests/e2e${WINE:+/wine}"/*.sh; do
	name=$(basename "$script" .sh)
	# shellcheck disable=SC2053 # ONLY is a pattern
	if [ ! -f "$script" ] || [[ $name != $ONLY ]]; then
		continue
	fi
	TESTDIR=$SCRATCH/e2e/$name
	mkdir -p "$TESTDIR"
	STAGETRACE=$(realpath "${PROGRAM:-$B/stagetrace}") BUILT=$(realpath "$B") TESTDIR=$TESTDIR SRCDIR=$ROOT timeout 600 \
		bash "$script" >"$SCRATCH/e2e.stdout" 2>"$SCRATCH/e2e.stderr" </dev/null
	status=$?
	case $status in
	0) echo "PASS e2e/$name" ;;
	77) echo "SKIP e2e/$name: $(tail -n 1 "$SCRATCH/e2e.stdout")" ;;
	*)
		cat "$SCRATCH/e2e.stdout" "$SCRATCH/e2e.stderr"
		[ $status != 124 ] || echo "stopped after 600 seconds"
		echo "FAIL e2e/$name"
		;;
	esac
done
