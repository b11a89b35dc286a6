stagetrace memory "$DATA/heap.etl" --of heap
