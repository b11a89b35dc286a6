head -c 20000 "$DATA/traced-run/trace.perf.data" >short.data
stagetrace export short.data | cut -c 1-60
