cp -r "$DATA/traced-run" run
stagetrace bundle run -o - 2>&1 | sed 's/^.*: this/this/'
