#!/usr/bin/env bash
# The command line: tests/cli/COMMAND/CASE.sh, each run by bash -e in a fresh directory with `stagetrace` on
# PATH and tests/data as DATA. Optional files next to it:
#
#   CASE.exit           the exit status, else 0
#   CASE.stdout.exact   the output
#   CASE.stdout.glob    the output as a pattern of bash, in which * is any text, line ends too
#   CASE.stderr.exact   what it says on stderr, else nothing
#   CASE.stderr.glob
#
#   CASE.wine           why the case is not run under Wine (tests/suites/wine.sh)
#
# GOLDEN=1 rewrites all of them except the patterns. PROGRAM is the program that `stagetrace` runs; with WINE
# (tests/suites/wine.sh) it is the one for Windows.
set -u
cd "$ROOT" || exit 1

run_case() {
	local case=$1 dir=$2

	mkdir -p "$dir/work"
	(
		cd "$dir/work" || exit 1
		PATH=$SCRATCH/bin:$PATH DATA=$ROOT/tests/data TMPDIR=$dir \
			timeout 1800 bash -eu "$ROOT/$case.sh" >"$dir/stdout" 2>"$dir/stderr" </dev/null
	)
	echo $? >"$dir/exit"
}

# Text as it is: $(...) would drop the ends of lines at its end. Bytes of 0, for which `text` has no place, fail.
slurp() {
	text=
	! IFS= read -r -d '' text <"$1"
}

# Most are as they should be, and no process is started for them.
check_stream() {
	local case=$1 got=$2 stream=$3 text pattern expected

	if [ -f "$case.$stream.glob" ]; then
		slurp "$case.$stream.glob"
		pattern=$text
		slurp "$got"
		# shellcheck disable=SC2053 # a pattern on purpose
		if [[ $text != $pattern ]]; then
			echo "$stream does not match $case.$stream.glob:"
			cat "$got"
		fi
	elif [ -f "$case.$stream.exact" ]; then
		if slurp "$case.$stream.exact" && expected=$text && slurp "$got" && [ "$text" = "$expected" ]; then
			return
		fi
		diff -u --label "$case.$stream.exact" --label "$stream" "$case.$stream.exact" "$got"
	elif [ "$stream" = stderr ] && [ -s "$got" ]; then
		echo "unexpected on stderr:"
		cat "$got"
	fi
}

check_case() {
	local case=$1 dir=$2 expected=0 status file text

	if [ -f "$case.exit" ]; then
		read -r expected <"$case.exit"
	fi
	read -r status <"$dir/exit"
	if [ "$status" != "$expected" ]; then
		echo "exit status $status, expected $expected"
		cat "$dir/stderr"
	fi
	check_stream "$case" "$dir/stdout" stdout
	check_stream "$case" "$dir/stderr" stderr
	# Elsewhere it would fail.
	for file in "$case".*; do
		slurp "$file"
		if [[ $text == *"$ROOT/"* ]]; then
			echo "$file has the path of this checkout: go to the directory first (cd \"\$DATA\")"
		fi
	done
}

write_expected() {
	local case=$1 dir=$2

	rm -f "$case.exit" "$case.stdout.exact" "$case.stderr.exact"
	if [ "$(cat "$dir/exit")" != 0 ]; then
		cp "$dir/exit" "$case.exit"
	fi
	if [ ! -f "$case.stdout.glob" ]; then
		cp "$dir/stdout" "$case.stdout.exact"
	fi
	if [ ! -f "$case.stderr.glob" ] && [ -s "$dir/stderr" ]; then
		cp "$dir/stderr" "$case.stderr.exact"
	fi
}

list() {
	local script case

	mkdir -p "$SCRATCH/bin"
	ln -sf "$(realpath "${PROGRAM:-$B/stagetrace}")" "$SCRATCH/bin/stagetrace"
	for script in tests/cli/*/*.sh; do
		case=${script%.sh}
		if [ -n "${WINE:-}" ] && [ -f "$case.wine" ]; then
			echo "SKIP cli/${case#tests/cli/}: $(cat "$case.wine")"
		else
			echo "cpu ${case#tests/cli/}"
		fi
	done
}

run() {
	local case=tests/cli/$1 dir=$SCRATCH/cli/$1 wrong

	run_case "$case" "$dir"
	[ -z "${GOLDEN:-}" ] || write_expected "$case" "$dir"
	wrong=$(check_case "$case" "$dir")
	if [ -z "$wrong" ]; then
		echo "PASS cli/$1"
	else
		printf '%s\n' "$wrong"
		echo "FAIL cli/$1"
	fi
}

"$@"
