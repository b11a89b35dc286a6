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
# So have results of tests, annotations and the head of data.
stagetrace compare base new -q --format junit
stagetrace compare base new -q --format github --fail-if 'peak > 1GB' 2>&1 || echo "exit code $?"
stagetrace compare base new -q --format jsonl --head --top 1 | sed -n 1p | grep -o '"warnings":.*'
stagetrace compare base base -q --format jsonl --head --top 1 | sed -n 1p | grep -o '"warnings":.*'
stagetrace compare base new -q --format csv --head --top 1 | grep '^# warnings'
