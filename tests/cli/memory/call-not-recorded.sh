cp -r "$DATA/no-mprotect.perf.data" .
stagetrace memory no-mprotect.perf.data
