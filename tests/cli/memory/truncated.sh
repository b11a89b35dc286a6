head -c 20000 "$DATA/traced-run/trace.perf.data" >short.data
stagetrace memory short.data
