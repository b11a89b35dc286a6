cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
sed -i 's/"trace_events": 0/"trace_events": 12/' new/manifest.json
stagetrace compare base new --fail-if 'peak > +5%' --top 1
