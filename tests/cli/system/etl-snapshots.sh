python3 "$ROOT/tests/tools/make-machine-etl.py" snapshots trace.etl
stagetrace system trace.etl | grep -Ev '^trace '
