#!/usr/bin/env bash
# A report's page in Firefox: all views, a range, and names that are markup.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"

command -v node >/dev/null || skip "node is not installed"
browser=$(command -v firefox-esr || command -v firefox) || skip "no firefox here"

cp -r "$SRCDIR/tests/data/traced-run" run
"$STAGETRACE" report run -q
sed -i 's/rustc_middle/<img src=x onerror=document.title=1>/g; s/rustc_parse/<\/script><script>document.title=2<\/script>/g' run/processes.jsonl
"$STAGETRACE" report run -q -o names.html
node "$SRCDIR/tests/tools/report-in-firefox.js" "$browser" report.html names.html || fail "the page is not as a reader expects"
