cp -r "$DATA/traced-run" base
sed -i 's/rustc_middle/<img src=x onerror=alert(1)>/g; s/"hostname":"[^"]*"/"hostname":"<b>one"/' base/processes.jsonl base/manifest.json
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
sed -i 's/<b>one/two/' new/manifest.json
stagetrace report base new -o page.html
grep -c '<img\|<b>' page.html || true
sed -n '/<section id="overview"/,/<section id="memory"/p' page.html
grep -o '<title>[^<]*</title>' page.html
# Neither is a file replaced without --force, nor have two runs the options of one.
stagetrace report base new -o page.html 2>&1 || true
stagetrace report base new --min-share 0 -o other.html 2>&1 || true
