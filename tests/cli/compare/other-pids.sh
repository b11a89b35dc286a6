cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
# Neither ids nor paths join processes.
sed -i 's|/src/rust/|/home/me/rust/|g' new/processes.jsonl
stagetrace compare base new --format csv --columns part,crate,state,own_peak_percent
