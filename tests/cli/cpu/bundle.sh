cp -r "$DATA/traced-run" run
stagetrace bundle run >bundled
stagetrace cpu run.zip --by function --top 2
