# A caller has another name in the new build alone: the frame is left out on both sides, and no stack is new. A function
# that was folded bears another of its names.
cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
sed -i 's/6passes8analysis17h0123456789abcdef/6passes7analyze17hfedcba9876543210/; s/_ZN11rustc_parse6parser10parse_expr17h0123456789abcdefE\t//' new/symbols/functions.txt
stagetrace compare base new --by stack --format csv --columns stack,state,own_peak_delta,cpu_delta
stagetrace compare base new --by function --format csv --columns function,state,own_peak_delta --top 3
