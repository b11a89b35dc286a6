cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
stagetrace compare base new --by stack --min-effect 0
# Own peaks are those of crates: of the whole recording.
stagetrace compare base new --by crate,stack --time 0..4s --format csv --columns crate,stack,own_peak_delta,size_delta
