# Handles repeat across processes; other memory has none.
stagetrace memory "$DATA/heap.etl" --of heap --by heap
stagetrace memory "$DATA/heap.etl" --of heap --by heap,lifetime --format csv --columns pid,heap,lifetime,size_bytes,count
stagetrace memory "$DATA/heap.etl" --of heap --by heap,process || stagetrace memory "$DATA/heap.etl" --by heap
