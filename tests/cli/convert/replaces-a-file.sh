# Once the new one is whole; a trace that is read is not.
echo mine >x.etl
stagetrace convert "$DATA/traced-run" -o x.etl --force >/dev/null 2>&1
head -c 4 x.etl | od -An -tx1
cp "$DATA/traced-run/trace.perf.data" perf.data
stagetrace convert perf.data -o ./perf.data --force || true
cmp perf.data "$DATA/traced-run/trace.perf.data"
