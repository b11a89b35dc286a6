# A level above one of 0 is acknowledged, or not; points of runs without a commit; series without a value, by name; a drift of the
# last level alone.
"$DATA/../tools/make-runs.sh" "$DATA" nights 1 1 1 1 30000 30500 30200 30400
sed -i 's/"cpu_ns":1000000,/"cpu_ns":0,/' nights/*0[1-4]T*/processes.jsonl
sed -i '/git_commit/d' nights/tiny-20260108T*/manifest.json
stagetrace history add -q nights/* >added
stagetrace history show cpu --crate core | tail -n 2
stagetrace history acknowledge -q tiny-20260105T120000Z
stagetrace history show cpu --crate core | tail -n 3
stagetrace history show cpu --crate core -o trend.svg
grep -o '<title>[^<]*</title>' trend.svg | tail -n 2
stagetrace history show own-peak --crate core -q -o empty.html
grep '<pre>' empty.html
"$DATA/../tools/make-runs.sh" "$DATA" drift 50000 50100 50050 30000 30900 31800 32700 33600 34500 35400 36300 37200 38100 39000
stagetrace history add -q drift/* --db drift.sqlite >added
stagetrace history acknowledge -q tiny-20260104T120000Z --db drift.sqlite
stagetrace history show cpu --crate core --db drift.sqlite | tail -n 4
