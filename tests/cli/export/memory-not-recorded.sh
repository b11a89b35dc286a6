cp -r "$DATA/no-mprotect.perf.data" .
stagetrace export no-mprotect.perf.data --metric size
