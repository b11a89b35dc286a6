# By function, with one of the filters: what is held at the peak of the whole build, and at that of the crate.
stagetrace memory "$DATA/heap.etl" --of heap --by function --at peak
stagetrace memory "$DATA/heap.etl" --of heap --by function --at own-peak --crate rustc_parse
