cp -r "$DATA/traced-run" run
stagetrace bundle run --symbols none -o run.zip >bundled
stagetrace cpu run.zip --by function --top 2
