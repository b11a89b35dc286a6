# The memory of a side cannot be counted; nothing that was begun for it is left (SAN=1 sees that).
cp -r "$DATA/traced-run" base
cp -r base new
head -c 15000 base/trace.perf.data >new/trace.perf.data
stagetrace compare base new --columns crate,own_peak_base,own_peak_new
