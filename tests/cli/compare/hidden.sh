# What compiles `grown` holds 8 MB in the base (cargo's process, in this test) and 96 MB in the new run (that of rustc_parse), but its linker
# holds 128 MB in both: the own peak of the crate does not grow. A note says it, and --role rustc shows it.
cp -r "$DATA/traced-run" base
cp -r base new
sed -i '/rustc_driver/s/"crate":"rustc_driver"/"crate":"grown"/' base/processes.jsonl new/processes.jsonl
sed -i '/"role":"cargo"/s/"role":"cargo"/"role":"rustc","crate":"grown"/' base/processes.jsonl
sed -i 's/"crate":"rustc_parse"/"crate":"grown"/' new/processes.jsonl
stagetrace compare base new --columns crate,own_peak_base,own_peak_new --crate grown
stagetrace compare base new --columns crate,own_peak_base,own_peak_new --crate grown --role rustc
stagetrace compare base new --columns role,crate,own_peak_base,own_peak_new --crate grown --by role,crate
