cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
# The gates with which the new run was recorded.
printf '[compare]\nfail-if = peak > +5%%, phase:linking.cpu > 1h\n' >new/config.ini
cp new/config.ini base
stagetrace compare base new --columns crate --top 1
