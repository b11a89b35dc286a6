stagetrace export "$DATA/heap.etl" --of heap --metric own-peak --format folded --root crate
