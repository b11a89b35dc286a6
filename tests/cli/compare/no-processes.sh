# A run whose list of processes is damaged to the last line: its processes are found while its trace is played.
cp -r "$DATA/traced-run" base
cp -r base new
sed -i 's/"signal":0/"signal":-9223372036854775808/' new/processes.jsonl
stagetrace compare base new --format csv --columns crate,own_peak_new
stagetrace history add new --db history.sqlite
