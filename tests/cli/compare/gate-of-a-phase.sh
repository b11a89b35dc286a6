# The evidence of a gate of a phase are functions of that phase, not of the build.
cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
stagetrace compare -q base new --fail-if 'phase:rustc: parse and expand.own-peak > 1B' \
	--fail-if 'phase:rustc: type check.own-peak > +1%' >out
