# What a filter of stacks lets through, and what it leaves out, are together all, estimates included.
for filter in '*hir_typeck*' 'reserve_rehash' '*not sampled*' 'sysmalloc'; do
	for option in --function --not-function; do
		stagetrace memory "$DATA/traced-run" --by crate $option "$filter" --at 2.5s --format csv --columns size_bytes,count,outstanding_bytes -q
	done | awk -F, '{ size += $1; count += $2; held += $3 } END { print size, count, held }'
done
stagetrace memory "$DATA/traced-run" --by crate --at 2.5s --format csv --columns size_bytes,count,outstanding_bytes -q |
	awk -F, '{ size += $1; count += $2; held += $3 } END { print size, count, held }'
stagetrace memory "$DATA/traced-run" --by crate --function check_expr --function check_expr_with_hint --not-module nowhere --at own-peak
# By module too, as --by module shows it.
for option in --module --not-module; do
	stagetrace memory "$DATA/traced-run" --by role $option '[not sampled]' --format csv --columns role,size_bytes,count -q
done
