stagetrace cpu "$DATA/no-mprotect.perf.data" --by process
