# One run a side, no history: own peaks and sizes of compilers that make one codegen unit hardly vary, so that +12 % is a change.
# Not where one side has more units, nor of phases, of a range of time, or of what has other processes too.
cp -r "$DATA/traced-run" base
cp -r base new
cp "$DATA/grown.perf.data" new/trace.perf.data
sed -i 's|"--crate-name",|"-C","codegen-units=16","-Ccodegen-units=1",&|' base/processes.jsonl new/processes.jsonl
compare() { stagetrace compare base new --format csv "$@" --columns "${keys:-crate},own_peak_percent,own_peak_verdict,size_verdict,cpu_verdict" 2>&1; }
compare
keys=role compare --by role
keys=phase compare --by phase --crate rustc_middle
compare --time 0..9s
# That their size has a verdict hides no own peak, of several compilers, from annotations.
stagetrace compare -q base new --by part --role rustc --format github
sed -i '/rustc_middle/s|"-Ccodegen-units=1",|&"-Zthreads=8",|' new/processes.jsonl
compare --top 1
sed -i '/rustc_middle/s|-Zthreads=8|-Zthreads=1|; /rustc_middle/s|codegen-units=1"|codegen-units=4"|' new/processes.jsonl
compare --top 1
