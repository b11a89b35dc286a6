cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
stagetrace compare base new --fail-if 'crate:rustc_middle.own-peak > +5%' --fail-if 'cpu > +10%' --fail-if 'crate:rustc_middle.wall > 1h'
