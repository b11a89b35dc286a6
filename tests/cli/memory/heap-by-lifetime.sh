stagetrace memory "$DATA/heap.etl" --of heap --by crate,lifetime
