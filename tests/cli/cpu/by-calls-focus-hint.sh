# The functions that may have been meant; what is named there matches.
cd "$DATA" || exit
for focus in chek_expr_with_hint expr parse_exp FnCtx; do
	stagetrace cpu traced-run --by calls --focus $focus --format csv --columns function
done 2>&1
stagetrace cpu traced-run --by calls --focus parse_expr --focus reserve_rehsh --ignore 'nothing' --format csv --columns function 2>&1
stagetrace cpu traced-run --by calls --inverted --focus reserve_rehash -q | tail -n 3
