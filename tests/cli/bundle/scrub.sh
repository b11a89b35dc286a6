# What is removed is listed; functions and numbers stay.
cp -r "$DATA/traced-run" run
stagetrace bundle run --scrub -o public.zip | sed 's/^public.zip, .*/public.zip/'
for run in run public.zip; do
	stagetrace cpu $run --by function --format csv >$run.csv 2>/dev/null
	stagetrace memory $run --by stack --format csv >$run.memory.csv 2>/dev/null
done
cmp run.csv public.zip.csv
cmp run.memory.csv public.zip.memory.csv
