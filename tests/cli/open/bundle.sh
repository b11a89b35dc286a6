cp -r "$DATA/tiny-run" run
stagetrace bundle run -o run.zip >/dev/null
stagetrace open run.zip
