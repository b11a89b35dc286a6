stagetrace system "$DATA/no-mprotect.perf.data"
