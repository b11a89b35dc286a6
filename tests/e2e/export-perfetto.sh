#!/usr/bin/env bash
# kind: cpu
# Traces for Perfetto are read back by a reader of its format, which is not the program's, and have the sums of the command line.
# No package of Debian, npm or PyPI has Perfetto's trace_processor.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/exports.sh"

make_runs
for run in plain gaps hostile; do
	expect "$run"
	"$STAGETRACE" export "$run" -o "$run.pftrace.gz" 2>log
	python3 "$SRCDIR/tests/e2e/lib/check_perfetto.py" "$run.pftrace.gz" "expected-$run.json"
done
# A check that nothing fails is none.
sed 's/"rustc: type check": [0-9]*/"rustc: type check": 1/' expected-plain.json >wrong.json
if python3 "$SRCDIR/tests/e2e/lib/check_perfetto.py" plain.pftrace.gz wrong.json 2>log; then
	fail "a wrong sum is not noticed"
fi
