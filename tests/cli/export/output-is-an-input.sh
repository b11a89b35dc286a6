# The trace that is read is not replaced, not by the temporary file either.
cp "$DATA/traced-run/trace.perf.data" t.partial
stagetrace export t.partial -o t 2>&1 || echo "exit code $?"
cmp t.partial "$DATA/traced-run/trace.perf.data"
