cp "$DATA/no-mprotect.perf.data" bare.perf.data
stagetrace why bare.perf.data
