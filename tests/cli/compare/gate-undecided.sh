cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
stagetrace compare base new --fail-if 'crate:rustc_midle.own-peak > +5%' --fail-if 'peak > +50%' --top 1
