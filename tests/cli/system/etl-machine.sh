python3 "$ROOT/tests/tools/make-machine-etl.py" config trace.etl
stagetrace system --wide trace.etl | grep -Ev '^(trace|events) '
stagetrace system --format json trace.etl | grep '"section":"\(network\|devices\)"'
