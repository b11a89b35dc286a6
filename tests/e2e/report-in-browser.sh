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
"$STAGETRACE" report "$SRCDIR/tests/data/sampled-calls.perf.data" -q -o no-cpu.html
cp -r "$SRCDIR/tests/data/traced-run" no-names
rm no-names/symbols/functions.txt
"$STAGETRACE" report no-names -q -o no-names.html
cp -r "$SRCDIR/tests/data/traced-run" no-tags
sed -i 's/"role":"[^"]*"/"role":"other"/; s/,"part":"[^"]*"//; s/,"crate":"[^"]*"//' no-tags/processes.jsonl
"$STAGETRACE" report no-tags -q -o no-tags.html
cp -r "$SRCDIR/tests/data/tiny-run" nothing
: >nothing/processes.jsonl
"$STAGETRACE" report nothing -q -o nothing.html
cp -r "$SRCDIR/tests/data/traced-run" hostile
python3 "$SRCDIR/tests/e2e/lib/hostile_names.py" hostile
"$STAGETRACE" report hostile -q -o hostile.html
cp -r "$SRCDIR/tests/data/traced-run" failed
sed -i 's/"state": "done"/"state": "failed", "reason": "the build was too long"/' failed/manifest.json
"$STAGETRACE" report failed -q -o failed.html
cp -r "$SRCDIR/tests/data/traced-run" damaged
head -c 4000 /dev/zero | tr '\0' 'x' | dd of=damaged/trace.perf.data bs=1 seek=9000 conv=notrunc status=none
"$STAGETRACE" report damaged -q -o damaged.html
cp -r "$SRCDIR/tests/data/traced-run" empty
: >empty/trace.perf.data
"$STAGETRACE" report empty -q -o empty.html
node "$SRCDIR/tests/tools/report-in-browser.js" "$browser" --all-views names.html \
	"hostile.html:overview:2 damaged lines of processes.jsonl left out" "failed.html:overview:failed: the build was too long" \
	"damaged.html:overview:damaged" "empty.html:overview:cannot show the trace" "empty.html:memory:the trace cannot be read" \
	"empty.html:timeline:There is no memory to show: the trace cannot be read" "no-cpu.html:timeline:There are no processors in use to show" \
	"no-trace.html:cpu:it was recorded without a trace" "no-memory.html:memory:not recorded" heap.html \
	"cut.html:overview:the trace is truncated" "no-cpu.html:cpu:it has no CPU samples" \
	"no-names.html:overview:of the CPU time is in functions without names" \
	"no-tags.html:overview:no process is known to work on a crate" "nothing.html:overview:no processes were recorded" ||
	fail "a page with less than all does not work"

# Two runs, and several a side.
rm -r run
cp -r "$SRCDIR/tests/data/traced-run" base
sed -i 's/"crate":"rustc_middle"/"crate":"<img src=x onerror=document.title=1>"/' base/processes.jsonl
cp -r base new
cp "$SRCDIR/tests/data/grown.perf.data" new/trace.perf.data
"$STAGETRACE" report base new -q -o pair.html
for i in 1 2 3 4 5; do
	cp -r base "base$i"
	sed -i "s/\"cpu_ns\":4100000000/\"cpu_ns\":41${i}0000000/; s/\"cpu_ns\":2200000000/\"cpu_ns\":2${i}00000000/" "base$i/processes.jsonl"
	cp -r "base$i" "new$i"
	cp new/trace.perf.data "new$i/"
done
"$STAGETRACE" report base? -- new? -q -o several.html
node "$SRCDIR/tests/tools/pair-in-browser.js" "$browser" pair.html several.html || fail "the page of two sides is not as a reader expects"
