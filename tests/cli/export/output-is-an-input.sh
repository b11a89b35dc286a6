# The trace that is read is not replaced, not by the temporary file either.
cp "$DATA/traced-run/trace.perf.data" t.partial
stagetrace export t.partial -o t 2>&1 || echo "exit code $?"
cmp t.partial "$DATA/traced-run/trace.perf.data"
# A file to write, without the option.
for name in x.svg missing.json.gz; do
	! stagetrace export "$DATA/traced-run" "$name" 2>&1
done
