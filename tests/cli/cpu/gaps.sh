# Callers from stack copies leave gaps: the head says so, and a note if queries or phases are keys.
mkdir run
cp -r "$DATA/traced-run/." run
cp "$DATA/gaps.perf.data" run/trace.perf.data
cp "$DATA/gaps-stacks.txt" run/symbols/stacks.txt
stagetrace cpu run --by function
stagetrace cpu run --by function --module libLLVM
stagetrace cpu run --by query
stagetrace cpu run --by crate,phase --quiet
stagetrace cpu run --by role
stagetrace cpu run --by phase --format json --head | sed "s/stagetrace [0-9][0-9.]*/stagetrace VERSION/"
stagetrace cpu run --by calls
