cp -r "$DATA/traced-run" run
stagetrace open run
