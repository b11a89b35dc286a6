cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
stagetrace compare base new --fail-if 'peak > +10%' --top 1
