# Names of a recording are text: in the page's tables, and in its data, which has no markup at all.
cp -r "$DATA/traced-run" run
sed -i 's/rustc_middle/<img src=x onerror=alert(1)>/g; s/rustc_parse/<\/script><script>alert(2)<\/script>/g; s/rustc_driver"/\\u202egnp.exe"/' run/processes.jsonl
sed -n '1s/"pid": *[0-9]*/"pid":77/; 1s/python3/a\\u0000b/gp' run/processes.jsonl >line
cat line >>run/processes.jsonl
stagetrace report run -o page.html 2>&1 | sed 's/^/said: /'
grep -c '<img\|alert(2)</script>' page.html || true
grep -o '&lt;img src=x onerror=alert(1)&gt;</td><td class="n">261 MB' page.html | head -n 1
grep -o '&lt;/script&gt;&lt;script&gt;alert(2)' page.html | head -n 1
grep -c "$(printf '\342\200\256')" page.html || true
grep -o '<td>.u202egnp.exe</td><td class="n">128 MB' page.html | head -n 1
sed -n '/id="data"/,/<\/script>/p' page.html | sed 's/.*id="data">//; s/<\/script>$//' | grep -c '<' || true
