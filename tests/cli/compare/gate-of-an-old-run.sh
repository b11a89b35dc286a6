cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
printf '[compare]\nfail-if = peek > +5%%\n' >new/config.ini
cp new/config.ini base
stagetrace compare base new --columns crate --top 1
