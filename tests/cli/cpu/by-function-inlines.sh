stagetrace cpu "$DATA/traced-run" --by function --inlines --format csv --columns function,source,self_ns,total_ns
