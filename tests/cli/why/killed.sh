# The compiler of core was killed, and its parents failed; the kernel had ended a process for want of memory.
cp -r "$DATA/tiny-run" run
sed -i 's/"state": "done"/"state": "failed", "reason": "stage 2 failed with exit code 1", "memory": {"oom_kills": 1, "group_limit_bytes": 4294967296, "peak_group_bytes": 4290000000}/' run/manifest.json
sed -i -E '/"pid":(100|101),/s/"exit_code":0/"exit_code":1/' run/processes.jsonl
stagetrace why run
stagetrace why run -q --format json --top 4
