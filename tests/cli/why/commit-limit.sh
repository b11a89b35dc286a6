# The compiler ended itself; the trace of Windows has how near the commit charge of all programs came to its limit.
python3 "$ROOT/tests/tools/make-heap-etl.py" --machine trace.etl
cp -r "$DATA/tiny-run" run
cp trace.etl run
sed -i "s/\"base_ns\": 1000000000000/\"base_ns\": 1000000000/" run/manifest.json
sed -i -E '/"overcommit_memory"/d; s/"state": "done"/"state": "failed", "reason": "stage 2 failed with exit code 1", "memory": {"commit_limit_bytes": 6871947673, "peak_commit_bytes": 6500000000}/' run/manifest.json
sed -i -E '/"pid":(100|101),/s/"exit_code":0/"exit_code":1/; s/"exit_code":137,"signal":9/"exit_code":3221226505,"signal":0/' run/processes.jsonl
stagetrace why -q run
# Far from the limit it is said too; a trace that cannot be read is no obstacle.
sed -i 's/6871947673/16871947673/' run/manifest.json
stagetrace why -q run | grep -e '^cause' -e '^evidence'
echo damaged >run/trace.etl
stagetrace why run 2>&1 | grep -e '^stagetrace' -e '^cause' -e trace_
