# Threads, phases and queries as roots: values are those of stacks without them, and those of the rows of `cpu`.
for root in thread phase query; do
	stagetrace export "$DATA/traced-run" --root $root --role rustc --format folded 2>/dev/null
done
for metric in cpu at-peak; do
	for root in none thread phase query; do
		stagetrace export "$DATA/traced-run" --metric $metric --root $root --format folded 2>/dev/null |
			awk '{ sum += $NF } END { printf "%.0f\n", sum }'
	done | uniq
done
stagetrace export "$DATA/traced-run" --root phase --format folded 2>/dev/null |
	sed 's/;.* /;/' | awk -F';' '{ sums[$1] += $2 } END { for (key in sums) printf "%s,%.0f\n", key, sums[key] }' | sort >roots
stagetrace cpu "$DATA/traced-run" --by phase --format csv --columns phase,self_ns -q | tr -d '\r' | sed 1d | sort | cmp - roots
