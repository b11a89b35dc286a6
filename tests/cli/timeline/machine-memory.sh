# What all programs of the machine had committed: a bare trace does not know the limit, a run does.
python3 "$ROOT/tests/tools/make-heap-etl.py" --machine trace.etl
stagetrace timeline trace.etl --every 200ms
stagetrace timeline trace.etl --every 250ms --time 300ms.. --format csv
stagetrace system trace.etl | grep -e '^memory_used' -e MemInfo
cp -r "$DATA/tiny-run" run
cp trace.etl run
sed -i 's/"state": "done"/"state": "done", "memory": {"commit_limit_bytes": 6871947673}/' run/manifest.json
sed -i "s/\"base_ns\": 1000000000000/\"base_ns\": 1000000000/" run/manifest.json
stagetrace timeline run -q --every 250ms --time ..1s --columns time_ns,machine_commit_bytes,commit_limit_bytes,available_bytes
stagetrace timeline run -q --every 250ms --time ..1s --format json --top 1 --head | tr ',' '\n' | grep -e machine_commit -e commit_limit
