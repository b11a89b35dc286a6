stagetrace memory "$DATA/heap.etl" --of heap --by process --format json --head --time 0.1..0.3
