stagetrace processes "$DATA/tiny-run" --role cargo --crate core --format csv --columns pid
