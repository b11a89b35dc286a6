cp -r "$DATA/traced-run" .
: >traced-run/trace.perf.data
stagetrace system traced-run --columns section,key | cut -d ' ' -f 1 | uniq
