# The name is not that of the bundle with all names. A view of system distinguishes them.
cp -r "$DATA/traced-run" run
stagetrace bundle run >/dev/null
stagetrace bundle run --scrub >/dev/null
ls
for bundle in run.zip run.public.zip; do
	stagetrace system $bundle --format csv | grep scrubbed || echo "$bundle is not scrubbed"
done
