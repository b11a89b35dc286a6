# What is in a heap snapshot is not known, and it says so.
stagetrace memory "$DATA/heap.etl" --of snapshot --at 3
