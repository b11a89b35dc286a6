# Its trace is what would be written.
mkdir run
cp "$DATA/tiny-run/manifest.json" run
cp "$DATA/heap.etl" run/trace.etl
stagetrace convert run
