# A run and its bundle, or a copy, are one recording: twice on the command line they would look like two that do not vary.
for run in one two three four; do
	cp -r "$DATA/traced-run" $run
	sed -i "0,/\"name\"/s//\"cookie\": \"$run.0123\", \"name\"/" $run/manifest.json
done
cp -r one again
stagetrace bundle two -q -o two.zip >two.size
stagetrace compare one two -- three four --columns crate,own_peak_delta --top 1
stagetrace compare one again two -- three two.zip four --columns crate,own_peak_delta --top 1
stagetrace compare one again --columns crate,own_peak_delta --top 1
