# Touched memory is kept next to committed memory: it is not added to it.
cp -r "$DATA/traced-run" traced
cp "$DATA/touched.perf.data" traced/trace.perf.data
stagetrace history add -q traced 2>warnings
stagetrace history export --config traced | cut -d , -f 6-8,17,18,20,21 | grep -E '^(kind|build|role)'
stagetrace memory traced --by role --format csv --columns role,size_bytes,peak_bytes,at_peak_bytes
stagetrace memory traced --by role --of touched --format csv --columns role,peak_bytes
