# What did the compiler hold while it checked types? And what a filter lets through and leaves out are together all.
for filter in phase='rustc: type check' phase='[untagged]' phase='[not sampled]' query=typeck query='[no query]' query='[not sampled]'; do
	for option in -- --not-; do
		stagetrace memory "$DATA/traced-run" --by crate "$option$filter" --at 2.5s --format csv --columns size_bytes,count,outstanding_bytes -q
	done | awk -F, '{ size += $1; count += $2; held += $3 } END { print size, count, held }'
done
stagetrace memory "$DATA/traced-run" --by crate --at 2.5s --format csv --columns size_bytes,count,outstanding_bytes -q |
	awk -F, '{ size += $1; count += $2; held += $3 } END { print size, count, held }'
stagetrace memory "$DATA/traced-run" --by crate --phase 'type check' --at own-peak
stagetrace memory "$DATA/traced-run" --by region --phase 'type check' --format csv
