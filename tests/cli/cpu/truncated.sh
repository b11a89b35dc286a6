head -c 20000 "$DATA/traced-run/trace.perf.data" >cut
stagetrace cpu cut
