#!/usr/bin/env bash
# Run the tests, of which B (default: build) has the programs, and count them:
#
#   tests/run.sh all             everything
#   tests/run.sh check           what is fast: headers, layers, sizes, lint, docs, profiles, stand-ins, unit, cli, etl
#   tests/run.sh SUITE           one of tests/suites/
#   tests/run.sh golden          cli, rewriting what the cases expect; review the diff
#
# A second argument is a pattern for the names of the tests: tests/run.sh cli 'tree/*'. VERBOSE=1 shows what passes.
#
# A suite is a script that prints "PASS name", "FAIL name" and "SKIP name: why"; what else it prints, with a
# FAIL, is for the reader. A suite that ends with an error has failed as well, and so has a run of no tests.
set -u
cd "$(dirname "$0")/.." || exit 1
export ROOT=$PWD B=${B:-build} ONLY=${2:-*} LC_ALL=C.UTF-8
SCRATCH=$(mktemp -d) || exit 1
export SCRATCH
trap 'chmod -R u+w "$SCRATCH"; rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT TERM

passed=0 failed=0 skipped=0

count_line() {
	case $1 in
	"PASS "*)
		passed=$((passed + 1))
		if [ -n "${VERBOSE:-}" ]; then printf '%s\n' "$1"; fi
		;;
	"FAIL "*)
		failed=$((failed + 1))
		printf '%s\n' "$1"
		;;
	"SKIP "*)
		skipped=$((skipped + 1))
		printf '%s\n' "$1"
		;;
	*)
		printf '%s\n' "$1"
		;;
	esac
}

run_suite() {
	local line status

	while IFS= read -r line; do
		count_line "$line"
	done < <("tests/suites/$1.sh"; echo $? >"$SCRATCH/status")
	status=$(cat "$SCRATCH/status")
	if [ "$status" != 0 ]; then
		count_line "FAIL $1: the suite ended with status $status"
	fi
}

mode=${1:-all}
fast="headers layers sizes lint docs profiles standins unit cli etl"
case $mode in
all) suites="$fast fuzz wine e2e" ;;
check) suites=$fast ;;
golden)
	export GOLDEN=1
	suites=cli
	;;
*)
	if [ ! -x "tests/suites/$mode.sh" ]; then
		echo "tests/run.sh: no suite '$mode'; see the head of the script" >&2
		exit 2
	fi
	suites=$mode
	;;
esac
for suite in $suites; do
	run_suite "$suite"
done
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ] && [ $((passed + skipped)) != 0 ]
