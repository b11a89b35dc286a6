# The series of phases and queries have the CPU time that `cpu` has, and no memory or processes.
for by in phase query; do
	stagetrace timeline "$DATA/traced-run" --by $by
	for time in .. 2s..7.3s; do
		stagetrace timeline "$DATA/traced-run" --by $by --role rustc --time $time --every 700ms --format csv --columns $by,cpu_ns -q | tr -d '\r' |
			awk -F, 'NR > 1 { sums[$1] += $2 } END { for (key in sums) printf "%s,%.0f\n", key, sums[key] }' | sort >series
		stagetrace cpu "$DATA/traced-run" --by $by --role rustc --time $time --format csv --columns $by,self_ns -q | tr -d '\r' | sed 1d | sort |
			cmp - series
	done
done
stagetrace timeline "$DATA/traced-run" --by phase --every 4s --top 2 --format json
