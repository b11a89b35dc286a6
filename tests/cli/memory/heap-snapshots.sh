# What is in them is not known: which programs show it, and which of them there are.
cp "$ROOT/tests/fuzz/corpus/etl_trace/snapshots.etl" .
for of in commit heap; do
	stagetrace memory snapshots.etl --of $of -q 2>&1 && exit 1
done
stagetrace system snapshots.etl -q --format csv | grep ^heap_snapshot
