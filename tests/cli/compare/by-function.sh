cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
# A library of another build has another hash in its name.
sed -i s/0123456789abcdef.so/fedcba9876543210.so/ new/symbols/functions.txt
stagetrace compare base new --by function --min-effect 0
