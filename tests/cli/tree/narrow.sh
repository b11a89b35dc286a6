# Where a line is too short for both columns of memory, what the trace says stays.
for columns in 60 68 69; do
	COLUMNS=$columns stagetrace tree "$DATA/traced-run" | tee lines
	[ "$(wc -L <lines)" -le $columns ] || exit 1
done
COLUMNS=60 stagetrace tree "$DATA/traced-run" --columns pid,peak_rss_bytes,peak_bytes,image --top 1
