#!/usr/bin/env bash
# A report of a made-up build with named functions, 922 processes: its numbers are those of the command line, and in a browser it can
# be used, and answers each range, in the time that docs/report.md promises. Times are of the page's thread, as far as that has no
# other work. By default the build has a tenth of the samples of a stage 2: STAGETRACE_BUILD_PERCENT=100 has all.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"

command -v node >/dev/null || skip "node is not installed"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium here"
make_build=$(dirname "$STAGETRACE")/tests/tools/make-build
[ -x "$make_build" ] || skip "$make_build is not built"

"$make_build" run "${STAGETRACE_BUILD_PERCENT:-10}"
"$STAGETRACE" report run -q
node "$SRCDIR/tests/tools/check-report.js" "$STAGETRACE" run report.html 3 5 || fail "the page has other numbers"
size=$(stat -c %s report.html)
[ "$size" -lt 20000000 ] || fail "the page has $size bytes"
node "$SRCDIR/tests/tools/time-report.js" "$browser" report.html 3 1 usable=2000 range=200 memory=1000 || fail "the page is too slow"
# A limit that nothing meets is noticed.
! node "$SRCDIR/tests/tools/time-report.js" "$browser" report.html 0 1 usable=1 >limit || fail "a limit does not count"
has 'usable: .* the limit is 1' limit
