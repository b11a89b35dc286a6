# The highest point of any series is the peak, and the CPU times of the steps add up.
for step in 7ms 300ms 4s 1m; do
	stagetrace timeline "$DATA/traced-run" --every $step --format csv --columns memory_bytes,cpu_ns 2>/dev/null |
		awk -F, 'NR > 1 { if ($1 > most) most = $1; sum += $2 } END { printf "%.0f %.0f\n", most, sum }'
done
stagetrace memory "$DATA/traced-run" --by role --format csv --columns at_peak_bytes | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
stagetrace cpu "$DATA/traced-run" --by role --format csv --columns self_ns | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
