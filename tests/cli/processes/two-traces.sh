stagetrace processes "$DATA/sampled-calls.perf.data" "$DATA/no-mprotect.perf.data" 2>&1 | sed "s:$DATA/::g"
cp -r "$DATA/tiny-run" run
stagetrace processes run "$DATA/sampled-calls.perf.data"
