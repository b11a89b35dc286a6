cp -r "$DATA/tiny-run" run
stagetrace recover run
