stagetrace cpu "$DATA/traced-run" --by function --mangled --format csv --columns function,also --top 4
