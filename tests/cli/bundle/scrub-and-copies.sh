cp -r "$DATA/tiny-run" run
stagetrace bundle run --scrub --with-stack-copies
