cp -r "$DATA/traced-run" base
cp -r base new
# Another host and profiler, events were lost, and others used the machine.
sed -i 's/"hostname": "example"/"hostname": "other\\u001b[31m"/; s/"trace_events": 0/"trace_events": 12/; s/"name": "perf"/"name": "xperf"/' new/manifest.json
sed -i 's/"start_utc": "2026-01-31/"start_utc": "2026-02-01/; s/"state": "done"/"state": "failed"/' new/manifest.json
printf '[stage2]\ncommand = x.py build\n[run]\noutput = a\n' >base/config.ini
printf '[stage2]\ncommand = x.py build -j4\n[run]\noutput = b\n' >new/config.ini
stagetrace compare base new
stagetrace compare base base base -- new new new -q
stagetrace compare base base base -- new new new
# A comment that others read has the warnings too.
stagetrace compare base base base -- new new new -q --format markdown
