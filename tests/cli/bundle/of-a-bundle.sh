# A bundle is packed already: to scrub it, it has to be unpacked.
cp -r "$DATA/tiny-run" run
stagetrace bundle run >out
stagetrace bundle run.zip --scrub
