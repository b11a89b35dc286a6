# A recording that stopped while processes ran: all of its CPU time is in the steps.
for size in 35 45 60; do
	head -c $(($(stat -c %s "$DATA/no-mprotect.perf.data") * size / 100)) "$DATA/no-mprotect.perf.data" >short.data
	stagetrace cpu short.data --by role --format csv --columns self_ns -q | awk '{ sum += $1 } END { printf "%.0f ", sum }'
	stagetrace timeline short.data --format csv --columns cpu_ns -q | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
done
