cp -r "$DATA/traced-run" run
stagetrace bundle run -o used.zip >bundled
stagetrace bundle run --symbols all --trust -o all.zip >bundled
stagetrace cpu used.zip --by function --top 2 --format csv --columns function
stagetrace cpu all.zip --by function --top 2 --format csv --columns function
