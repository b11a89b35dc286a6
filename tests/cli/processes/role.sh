stagetrace processes "$DATA/tiny-run" --role link --role rustc --columns pid,role
