# Threads have what they asked for, together what the processes have.
stagetrace memory "$DATA/traced-run" --by thread --at peak
for by in process thread thread,phase crate,thread lifetime,thread; do
	stagetrace memory "$DATA/traced-run" --by $by --format csv --columns size_bytes,count,at_peak_bytes -q |
		awk -F, '{ size += $1; count += $2; peak += $3 } END { print size, count, peak }'
done | uniq
