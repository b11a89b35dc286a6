# Under each filter the rows of any key add up to the same, and what it lets through and leaves out are together all.
total() {
	awk '{ sum += $1 } END { print sum + 0 }'
}
samples() {
	stagetrace cpu "$DATA/traced-run" "$@" --format csv --columns samples 2>/dev/null
}
for filter in phase='rustc: type check' phase='type check' phase=LLVM phase='[untagged]' query=typeck query='[no query]' 'phase=*'; do
	echo "$filter"
	for by in process crate function module phase query stack thread crate,function phase,function phase,query; do
		samples --by $by "--$filter" | total
	done | uniq
	for by in crate phase query stack phase,query; do
		{
			samples --by $by "--$filter"
			samples --by $by "--not-$filter"
		} | total
	done | uniq
done
samples --by process | total
# With other filters too.
stagetrace cpu "$DATA/traced-run" --by query --query "[no query]" -q
stagetrace cpu "$DATA/traced-run" --by phase,query --phase rustc --phase LLVM --not-phase 'parse*' -q
