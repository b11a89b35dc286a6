stagetrace memory "$DATA/heap.etl" --of heap --by calls --at peak
