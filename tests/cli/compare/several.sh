cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
# An option may follow the runs of the new side.
stagetrace compare base base -- new new --by crate
