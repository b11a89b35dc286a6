# Runs without a trace, without CPU samples, without memory: the page says so.
stagetrace report "$DATA/tiny-run" -q -o tiny.html
stagetrace report "$DATA/no-mprotect.perf.data" -q -o no-memory.html
stagetrace report "$DATA/heap.etl" -q -o heap.html
for page in tiny no-memory heap; do
	echo "$page:"
	sed -n '/<ul class="problems"/,/<\/ul>/p' $page.html | sed 's/<[^>]*>//g' | grep .
done
# Half a trace is shown as far as it goes; an empty file is an error, and leaves no page.
head -c 3000 "$DATA/touched.perf.data" >cut.perf.data
stagetrace report cut.perf.data -q -o cut.html
grep -c 'id="timeline"' cut.html
: >empty.perf.data
! stagetrace report empty.perf.data -o empty.html 2>&1
ls empty.html* 2>/dev/null || true
