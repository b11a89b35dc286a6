head -c 20000 "$DATA/traced-run/trace.perf.data" >short.data
stagetrace cpu short.data
