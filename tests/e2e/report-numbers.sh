#!/usr/bin/env bash
# What a report's page shows of the whole recording and of random ranges is what the command line has, to the byte: of a made-up
# recording, and of one with touched memory.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"

command -v node >/dev/null || skip "node is not installed"

# compare TRACE RANGES SEED [OPTION...]
compare() {
	rm -f report.html
	"$STAGETRACE" report "$1" -q "${@:4}" || fail "no report of $1"
	node "$SRCDIR/tests/tools/check-report.js" "$STAGETRACE" "$1" report.html "$2" "$3" || fail "the report of $1 differs"
}

compare "$SRCDIR/tests/data/traced-run" 50 1
# Merged stacks keep all sums.
compare "$SRCDIR/tests/data/traced-run" 5 2 --min-share 30
compare "$SRCDIR/tests/data/touched.perf.data" 5 3
# One thread and two make the same page.
for n in 1 2; do
	STAGETRACE_THREADS=$n "$STAGETRACE" report "$SRCDIR/tests/data/traced-run" -q -o "threads-$n.html"
done
cmp threads-1.html threads-2.html || fail "one thread and two make different pages"
# A number of another page is noticed.
"$STAGETRACE" report "$SRCDIR/tests/data/touched.perf.data" -q -o other.html
! node "$SRCDIR/tests/tools/check-report.js" "$STAGETRACE" "$SRCDIR/tests/data/traced-run" other.html 0 1 >differs ||
	fail "the page of another recording has the same numbers"
