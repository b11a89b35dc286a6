cp -r "$DATA/tiny-run" run
stagetrace convert run -o x.etl
