# Helpers of the tests of exported files; sourced by each, after lib.sh.
# shellcheck shell=bash
# shellcheck disable=SC2034 # used by the tests
set -euo pipefail

# The programs of others that read the files: their node_modules, or the test is skipped.
find_consumers() {
	consumers=$("$SRCDIR/tests/tools/consumers.sh" "$SRCDIR/build/consumers") || skip "$consumers"
}

# Three runs: `plain`; `gaps`, without names of crates; `hostile`, whose names are of no good will.
make_runs() {
	cp -r "$SRCDIR/tests/data/traced-run" plain
	ln -s "$SRCDIR/tests/data/gaps.perf.data" gaps
	cp -r plain hostile
	python3 "$SRCDIR/tests/e2e/lib/hostile_names.py" hostile
}

# What the command line computes of a run, as expected-RUN.json: expect RUN
expect() {
	python3 "$SRCDIR/tests/e2e/lib/expected_sums.py" "$STAGETRACE" "$1" >"expected-$1.json"
}
