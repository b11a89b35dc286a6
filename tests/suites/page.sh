#!/usr/bin/env bash
# The scripts of a report's page, as far as they need no browser: tests/page/test_*.js, run by node.
set -u
cd "$ROOT" || exit 1

list() {
	local script

	if ! command -v node >/dev/null; then
		echo "SKIP page: node is not installed"
		return
	fi
	for script in tests/page/test_*.js; do
		echo "cpu $(basename "$script" .js)"
	done
}

run() {
	if node --test "tests/page/$1.js" >"$SCRATCH/page-$1" 2>&1 && grep -q '^# pass [1-9]' "$SCRATCH/page-$1"; then
		echo "PASS page/$1"
	else
		cat "$SCRATCH/page-$1"
		echo "FAIL page/$1"
	fi
}

"$@"
