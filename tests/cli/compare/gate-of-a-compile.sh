# The compile of `grown` holds 8 MB in the base and 96 MB in the new run, its linker 128 MB in both: its crate passes, its compile trips.
# Filters leave out rows, but nothing of a gate.
cp -r "$DATA/traced-run" base
cp -r base new
sed -i '/rustc_driver/s/"crate":"rustc_driver"/"crate":"grown"/' base/processes.jsonl new/processes.jsonl
sed -i '/"role":"cargo"/s/"role":"cargo"/"role":"rustc","crate":"grown"/' base/processes.jsonl
sed -i 's/"crate":"rustc_parse"/"crate":"grown"/' new/processes.jsonl
stagetrace compare base new --columns crate,own_peak_base,own_peak_new --crate grown --role rustc \
	--fail-if 'crate:grown.own-peak > +5%' --fail-if 'compile:grown.own-peak > +5%'
