stagetrace memory "$DATA/heap.etl" --of heap --by region --format csv --time 0.1..0.45
stagetrace memory "$DATA/heap.etl" --of heap --by region --at 250ms --top 3 --wide
