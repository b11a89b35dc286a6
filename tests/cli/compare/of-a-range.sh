cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
# CPU times are those of samples then.
stagetrace compare base new --time ..2.2 --by crate --metric cpu --min-effect 0
