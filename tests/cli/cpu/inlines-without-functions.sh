# Lines that a run has are known, though its functions are not there any more.
cp -r "$DATA/traced-run" run
rm run/symbols/functions.txt
stagetrace cpu run --by function --inlines --format csv --columns function,source,self_ns,total_ns
