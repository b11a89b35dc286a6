#!/usr/bin/env bash
# Whole recordings: tests/e2e/*.sh, one after the other, each with STAGETRACE (the program), TESTDIR (a fresh
# directory) and SRCDIR (the project). Exit 0: passed; 77: skipped, for the reason
# in its last line of output.
#
# FOLDER is where the tests are, in place of e2e, and PROGRAM what STAGETRACE is (tests/suites/wine.sh).
set -u
cd "$ROOT" || exit 1
folder=${FOLDER:-e2e}

for script in "tests/$folder"/*.sh; do
	name=$(basename "$script" .sh)
	# shellcheck disable=SC2053 # ONLY is a pattern
	if [ ! -f "$script" ] || [[ $name != $ONLY ]]; then
		continue
	fi
	TESTDIR=$SCRATCH/$folder/$name
	mkdir -p "$TESTDIR"
	STAGETRACE=$(realpath "${PROGRAM:-$B/stagetrace}") TESTDIR=$TESTDIR SRCDIR=$ROOT timeout 600 \
		bash "$script" >"$SCRATCH/e2e.stdout" 2>"$SCRATCH/e2e.stderr" </dev/null
	status=$?
	case $status in
	0) echo "PASS $folder/$name" ;;
	77) echo "SKIP $folder/$name: $(tail -n 1 "$SCRATCH/e2e.stdout")" ;;
	*)
		cat "$SCRATCH/e2e.stdout" "$SCRATCH/e2e.stderr"
		[ $status != 124 ] || echo "stopped after 600 seconds"
		echo "FAIL $folder/$name"
		;;
	esac
done
