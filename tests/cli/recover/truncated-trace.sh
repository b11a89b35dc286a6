# A trace whose end is missing: a warning, also in the run and its views, and in the summary.
mkdir cut.partial
cp -r "$DATA/traced-run/." cut.partial
rm -r cut.partial/symbols
head -c 20000 "$DATA/traced-run/trace.perf.data" >cut.partial/trace.perf.data
sed -i 's/"state": "done"/"state": "collecting"/' cut.partial/manifest.json
stagetrace recover cut.partial 2>err >out
grep -o 'warning: the trace is truncated.*' err
grep '^  lost' out
grep -o '"the trace is truncated[^"]*"' cut/manifest.json
stagetrace cpu cut --by role --time 0s..2s --format csv 2>&1
