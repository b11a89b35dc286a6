stagetrace memory "$DATA/traced-run" --by region --function check_expr_with_hint --sort commit_time_ns:asc --top 3
