#!/usr/bin/env bash
# A report's page in a browser: a range that is selected, links, the graph and its search, sorting, filters, keys, themes and sizes;
# without messages on the console, and without a request for anything else. Names that are markup stay text.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"

command -v node >/dev/null || skip "node is not installed"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "no chromium here"

cp -r "$SRCDIR/tests/data/traced-run" run
"$STAGETRACE" report run -q
node "$SRCDIR/tests/tools/report-in-browser.js" "$browser" report.html || fail "the page is not as a reader expects"

# Whatever is missing, the page says so and works.
sed -i 's/rustc_middle/<img src=x onerror=document.title=1>/g; s/rustc_parse/<\/script><script>document.title=2<\/script>/g' run/processes.jsonl
"$STAGETRACE" report run -q -o names.html
"$STAGETRACE" report "$SRCDIR/tests/data/tiny-run" -q -o no-trace.html
"$STAGETRACE" report "$SRCDIR/tests/data/no-mprotect.perf.data" -q -o no-memory.html
"$STAGETRACE" report "$SRCDIR/tests/data/heap.etl" -q -o heap.html
head -c 3000 "$SRCDIR/tests/data/touched.perf.data" >cut.perf.data
"$STAGETRACE" report cut.perf.data -q -o cut.html
node "$SRCDIR/tests/tools/report-in-browser.js" "$browser" --all-views names.html no-trace.html no-memory.html heap.html cut.html ||
	fail "a page with less than all does not work"
