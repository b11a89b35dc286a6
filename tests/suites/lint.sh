#!/usr/bin/env bash
# All shell scripts, as shellcheck sees them (SC2016 is about quotes that are meant), and what it does not see.
set -u
cd "$ROOT" || exit 1

# `grep -q` leaves before the end of its input, whose writer then may die of SIGPIPE: under pipefail, now and then.
if grep -rnE '(^|[^|])\| *grep +-[a-zA-Z]*q' tests --include='*.sh' --exclude=lint.sh; then
	echo "FAIL no pipe ends in grep -q: see has() in tests/e2e/lib/lib.sh"
else
	echo "PASS no pipe ends in grep -q"
fi

if ! command -v shellcheck >/dev/null; then
	echo "SKIP shellcheck: not installed"
	exit 0
fi
while IFS= read -r script; do
	if shellcheck -s bash -e SC1091,SC2016,SC2015,SC2119,SC2120 "$script"; then
		echo "PASS shellcheck $script"
	else
		echo "FAIL shellcheck $script"
	fi
done < <(find tests windows -name '*.sh' | sort; find .ci -name run)
