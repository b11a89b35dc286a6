stagetrace compare base new --by process,crate
