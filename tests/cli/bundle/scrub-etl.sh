# An ETL trace cannot be scrubbed; it is refused or left out.
cp -r "$DATA/tiny-run" run
cp "$DATA/etl/smallEtlFile.etl" run/trace.etl
stagetrace bundle run --scrub 2>&1 | grep -o "trace.etl.*"
ls
stagetrace bundle run --scrub --without-trace -o public.zip >/dev/null
stagetrace processes public.zip --columns pid --format csv | sed -n 1,2p
stagetrace cpu public.zip 2>&1 | grep -o 'has no trace.*'
