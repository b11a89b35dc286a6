stagetrace compare base new --by crate,phase --metric wall
