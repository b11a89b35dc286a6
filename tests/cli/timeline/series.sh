# The highest point of a series is its own peak, and its CPU times add up, whatever the steps and filters.
for by in crate role part; do
	while read -r every filters; do
		# shellcheck disable=SC2086 # several words
		stagetrace timeline "$DATA/traced-run" --by $by --every "$every" $filters --format csv --columns $by,memory_bytes,cpu_ns -q |
			awk -F, 'NR > 1 { if ($2 > most[$1]) most[$1] = $2; cpu[$1] += $3 }
				END { for (key in cpu) { if (most[key]) printf "memory %s %.0f\n", key, most[key]; if (cpu[key]) printf "cpu %s %.0f\n", key, cpu[key] } }' |
			sort >series
		# shellcheck disable=SC2086 # several words
		{
			stagetrace memory "$DATA/traced-run" --by $by $filters --format csv --columns $by,peak_bytes -q | sed 's/^/memory /'
			stagetrace cpu "$DATA/traced-run" --by $by $filters --format csv --columns $by,self_ns -q | sed 's/^/cpu /'
		} | tr -d '\r' | awk -F, '$2 + 0 { printf "%s %.0f\n", $1, $2 }' | sort >views
		[ -s series ] && diff series views && echo "$by $every $filters: $(wc -l <series)"
	done <<-END
		7ms
		300ms --not-role x.py
		1m --role rustc
		900ms --time 1.7..7.3
	END
done
