# How long processes waited, for a processor, the disk and memory: of a crate that of its compiler, of the build that of all that know it.
cp -r "$DATA/traced-run" run
sed -i '/"crate":"rustc_middle"/s/"cpu_ns":/"wait_cpu_ns":1000000000,"wait_io_ns":200000000,"wait_memory_ns":30000000,&/' run/processes.jsonl
sed -i '/"crate":"rustc_parse"/s/"cpu_ns":/"wait_io_ns":4000000,&/' run/processes.jsonl
stagetrace history add -q run >added
stagetrace history export | cut -d , -f 6-9,16 | grep -E '^(kind|build|part,|role,|crate)'
stagetrace history show wait --crate rustc_middle --format csv --columns run,wait_ns
