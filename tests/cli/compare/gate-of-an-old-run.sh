# Gates of the run that are none of this version, or that cannot be read, are undecided; those of the command line are asked instead of
# them. A run without settings has none. Those that are known are judged next to the others.
cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
printf '[compare]\nfail-if = peek > +5%%\n' >new/config.ini
cp new/config.ini base
stagetrace compare base new --columns crate --top 1 || echo "exit code $?"
stagetrace compare base new --columns crate --top 1 --fail-if 'cpu > 1h' >out || echo "exit code $?"
printf '[compare]\nfail-if = peek > +5%%, peak > +1%%\n' >new/config.ini
stagetrace compare base new --columns crate --top 1 >out || echo "exit code $?"
rm new/config.ini
stagetrace compare base new --columns crate --top 1 >out || echo "exit code $?"
mkdir new/config.ini
stagetrace compare base new --columns crate --top 1 >out || echo "exit code $?"
