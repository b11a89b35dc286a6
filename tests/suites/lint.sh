#!/usr/bin/env bash
# Checks all shell scripts by shellcheck (without SC2016: single quotes are intended) and for a mistake that it does not
# find. A job takes all scripts of a directory. Comments in C have at most 124 columns; clang-format leaves them as they are.
set -u
cd "$ROOT" || exit 1

scripts() {
	{ find src tests -name '*.sh'; find .ci -name run; } | sort
}

list() {
	echo "cpu pipes"
	echo "cpu comments"
	if command -v shellcheck >/dev/null; then
		scripts | sed 's|/[^/]*$||; s/^/cpu /' | sort -u
	else
		echo "SKIP shellcheck: not installed"
	fi
}

# `grep -q` and `head` leave before the end of their input. Now and then, its writer then dies of SIGPIPE, which
# pipefail reports, or says that it cannot write, as the program does under Wine.
check_pipes() {
	if grep -rnE '(^|[^|])\| *grep +-[a-zA-Z]*q|stagetrace [^|)]*\| *head' tests --include='*.sh' --exclude=lint.sh; then
		echo "FAIL no pipe ends in grep -q, and no program's output in head: see has() in tests/e2e/lib/lib.sh, and sed -n 1,2p"
	else
		echo "PASS no pipe ends in grep -q, and no program's output in head"
	fi
}

check_comments() {
	local long

	if long=$(find src tests -name '*.[ch]' | sort | python3 -c '
import re, sys
for path in sys.stdin.read().split():
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        columns = len(line.rstrip("\n").expandtabs(8))
        if columns > 124 and re.match(r"\s*(/\*|\*|//)", line):
            print("%s:%d: %d columns" % (path, number, columns))') && [ -z "$long" ]; then
		echo "PASS comments have at most 124 columns"
	else
		printf '%s\n' "$long"
		echo "FAIL comments have at most 124 columns"
	fi
}

check_dir() {
	local script of_dir all options='-s bash --exclude=SC1091,SC2016,SC2015,SC2119,SC2120'

	mapfile -t of_dir < <(scripts | grep -E "^$1/[^/]*$")
	# shellcheck disable=SC2086 # several words
	shellcheck $options "${of_dir[@]}"
	all=$?
	for script in "${of_dir[@]}"; do
		# shellcheck disable=SC2086
		if [ $all = 0 ] || shellcheck $options "$script" >/dev/null; then
			echo "PASS shellcheck $script"
		else
			echo "FAIL shellcheck $script"
		fi
	done
}

run() {
	case $1 in
	pipes) check_pipes ;;
	comments) check_comments ;;
	*) check_dir "$1" ;;
	esac
}

"$@"
