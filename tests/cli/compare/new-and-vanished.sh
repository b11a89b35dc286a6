cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
# A crate with another name, and a compiler that took three seconds more.
sed -i 's/rustc_parse/rustc_lexer/g; s/"cpu_ns":4100000000/"cpu_ns":7100000000/' new/processes.jsonl
stagetrace compare base new --by crate
