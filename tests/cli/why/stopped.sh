# The recording ended the build: that a process had to be killed then says nothing of memory, unless its limit was reached.
cp -r "$DATA/tiny-run" run
sed -i 's/"state": "done"/"state": "failed", "reason": "the time limit was reached ([run] timeout)", "memory": {"group_limit_bytes": 4294967296, "peak_group_bytes": 1290000000}/' run/manifest.json
sed -i -E '/"pid":(100|101),/s/"exit_code":0/"exit_code":143/' run/processes.jsonl
stagetrace why run | grep -e '^result' -e '^cause' -e '^evidence'
sed -i 's/1290000000/4290000000/' run/manifest.json
stagetrace why run | grep -e '^cause' -e '^evidence'
# What the kernel ended before, and what aborted, ended without it.
sed -i 's/"group_limit_bytes"/"oom_kills": 1, &/' run/manifest.json
stagetrace why run | grep -e '^cause'
sed 's/"the time limit/"stage 1: the time limit/; s/"oom_kills": 1, //; s/4290000000/1290000000/' run/manifest.json >early && mv early run/manifest.json
stagetrace why run | grep -e '^cause'
sed -i 's/"oom_kills": 1, //; s/4290000000/1290000000/' run/manifest.json
sed -i 's/"exit_code":137,"signal":9/"exit_code":134,"signal":6/' run/processes.jsonl
stagetrace why run | grep -e '^cause'
