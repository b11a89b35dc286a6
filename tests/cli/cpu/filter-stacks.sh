# Under each filter the rows of any key add up to the same.
total() {
	awk '{ sum += $1 } END { print sum }'
}
for filter in --function='*hir_typeck*' --module='*LLVM*' --not-function='*hir_typeck*' --not-module='*kernel*' --thread='opt*' \
	--not-thread='opt*'; do
	echo "$filter"
	for by in process crate role function module phase query stack thread crate,function phase,function role,crate; do
		stagetrace cpu "$DATA/traced-run" --by $by "$filter" --format csv --columns samples 2>/dev/null | total
	done | uniq
done
stagetrace cpu "$DATA/traced-run" --by crate --function '*hir_typeck*' --not-module '*LLVM*'
