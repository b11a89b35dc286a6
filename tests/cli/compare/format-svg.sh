cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
sed -i 's/_ZN15rustc_interface6passes8analysis17h0123456789abcdefE/a<b>\&"c"/' base/symbols/functions.txt new/symbols/functions.txt
stagetrace compare base new --format svg -o x.svg
xmllint --noout x.svg && grep '<title>' x.svg | sed 's/ width=.*//'
grep -o '<text class="note"[^<]*' x.svg
stagetrace compare base new --format svg --by crate,stack --metric cpu | grep -c '<title>'
stagetrace compare base new --format svg --by phase 2>&1 || true
stagetrace compare base new --format svg --metric wall 2>&1 || true
stagetrace compare base new --format rustc-perf --by part,crate 2>&1 || true
stagetrace compare base new --format junit --columns crate 2>&1 || true
