stagetrace cpu "$DATA/traced-run" --by crate,function --format csv --sort total_ns
