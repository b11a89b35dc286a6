cp -r "$DATA/traced-run" .
head -c 100 "$DATA/traced-run/trace.perf.data" >traced-run/trace.perf.data
stagetrace tree traced-run --top 2 --format csv --columns pid,peak_bytes,image
