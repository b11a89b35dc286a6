head -c 20000 "$DATA/traced-run/trace.perf.data" >cut
stagetrace export cut | cut -c 1-60
