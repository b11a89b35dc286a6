# A build of which all was up to date needs nearly nothing: that passes no gate, on either side, and is in no series of a history.
cp -r "$DATA/tiny-run" busy
cp -r busy idle
grep -v '"role":"rustc' busy/processes.jsonl | grep -v '"ppid":1[0-2]7\|"ppid":120' >idle/processes.jsonl
stagetrace compare busy idle --fail-if 'wall > +5%' -o idle.txt || echo "exit code $?"
stagetrace compare idle busy --fail-if 'cpu < 1s' -o table.txt || echo "exit code $?"
stagetrace history add idle
stagetrace history check --fail-if 'wall > 1h' || echo "exit code $?"
# A program that cargo ran is what was recorded.
cp -r idle ran
echo '{"pid":900,"ppid":102,"start_ns":3000000000,"end_ns":9000000000,"exe":"/src/rust/run","role":"other","argv":["run"]}' >>ran/processes.jsonl
stagetrace compare ran ran --fail-if 'wall > 1h' -o ran.txt
