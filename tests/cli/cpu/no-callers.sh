# CPU samples without stacks.
python3 "$ROOT/tests/tools/check-switches.py" make 1 none trace.etl
stagetrace cpu trace.etl --by function --top 2
stagetrace cpu trace.etl --by function --top 2 --format csv
