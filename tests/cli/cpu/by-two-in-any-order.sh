# The same pairs with the same sums, whichever key is first.
for pair in crate,function phase,function phase,module role,part crate,phase; do
	for by in "$pair" "${pair#*,},${pair%,*}"; do
		stagetrace cpu "$DATA/traced-run" --by "$by" --format csv -q --columns "$pair,samples,self_ns,total_ns" | sort >"$by.csv"
	done
	cmp "$pair.csv" "$by.csv" && wc -l <"$by.csv"
done
