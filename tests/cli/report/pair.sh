cp -r "$DATA/traced-run" base
sed -i 's/rustc_middle/<img src=x onerror=alert(1)>/g; s/"hostname": *"[^"]*"/"hostname":"<b>one"/' base/processes.jsonl base/manifest.json
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
sed -i 's/<b>one/two/' new/manifest.json
stagetrace report base new -o page.html
grep -c '<img\|<b>' page.html || true
sed -n '/<section id="overview"/,/<section id="stacks"/p' page.html
grep -o '<title>[^<]*</title>' page.html
# Neither is a file replaced without --force, nor have two runs the options of one.
stagetrace report base new -o page.html 2>&1 || true
stagetrace report base new --min-share 0 -o other.html 2>&1 || true
stagetrace report base --db history.sqlite -o other.html 2>&1 || true
stagetrace report base base -- new --db history.sqlite -o other.html 2>&1 || true
stagetrace report base --db 2>&1 || true
# What a comparison warns of is in the page, also if it is not printed: here the hosts differ.
stagetrace report base new -q -o quiet.html
sed -n '/class="problems"/,/<\/ul>/p; /Where the recordings/,/<\/table>/p' quiet.html
# Without a trace only times are known.
cp -r "$DATA/tiny-run" before
sed 's/"cpu_ns":\([1-9]\)/"cpu_ns":9\1/' before/processes.jsonl >line
cp -r before after
cp line after/processes.jsonl
stagetrace report before after -q -o times.html
sed -n '/<section id="overview"/,/<section id="runs"/p' times.html | sed 's/<[^>]*>/ /g' | grep '[a-z0-9]'
# A slip of the fingers, also by another name.
stagetrace report base base/ -o same.html 2>&1
grep -c 'is on both sides' same.html
# Of several runs a side the peak's change is split between those in the middle.
stagetrace report base base -- new new -q -o several.html
sed -n '/Why the peak changed/,/in the middle/p' several.html | sed 's/<[^>]*>/ /g'
