cp -r "$DATA/tiny-run" run
stagetrace open run
