# The profile of wpr for heaps records no VirtualAlloc.
python3 "$ROOT/tests/tools/make-heap-etl.py" --no-virtual heap.etl
stagetrace memory heap.etl --of heap --by crate
stagetrace memory heap.etl
