# Windows: the code says it. Without it the log's line has an ordinary exit code, then a compile error.
cp -r "$DATA/tiny-run" run
mkdir run/logs
sed -i 's/"state": "done"/"state": "failed", "reason": "stage 2 failed with exit code 1"/' run/manifest.json
sed -i -E '/"pid":(100|101),/s/"exit_code":0/"exit_code":1/; s/"exit_code":137,"signal":9/"exit_code":3221225495,"signal":0/' run/processes.jsonl
stagetrace why -q run
sed -i 's/"exit_code":3221225495/"exit_code":1/' run/processes.jsonl
printf 'Compiling core\nLINK : fatal error LNK1102: out of memory\n' >run/logs/stage2.log
stagetrace why -q run --top 5
# Time zero is that of the profiler, which may begin just after stage 2.
sed -i -E '/"stage2": \{/,/\}/s/"start_ns": [0-9]+/"start_ns": -853882/' run/manifest.json
printf 'error[E0308]: mismatched types\n' >run/logs/stage2.log
stagetrace why -q run --top 5
