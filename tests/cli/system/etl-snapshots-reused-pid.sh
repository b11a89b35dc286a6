# Windows reuses pids: two processes each have a whole snapshot number 1.
python3 "$ROOT/tests/tools/make-machine-etl.py" reused trace.etl
stagetrace system trace.etl | grep -e '^SECTION' -e '^heap_snapshot'
