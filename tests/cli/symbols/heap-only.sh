# Heaps were traced, and nothing else.
python3 "$ROOT/tests/tools/make-heap-etl.py" --no-virtual heap.etl
stagetrace symbols heap.etl --format csv --columns module,names,reason,cpu_ns,size_bytes,size_percent
stagetrace memory heap.etl --of heap --by module --format csv --columns module,size_bytes -q
