#!/usr/bin/env bash
# All views of a trace agree, by any key and under any filter: sums, totals, peaks and their moments, call trees, folded stacks,
# regions, series (tests/tools/check-sums.py).
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
check() { python3 "$SRCDIR/tests/tools/check-sums.py" "$@"; }

cd "$SRCDIR/tests/data" || exit
check traced-run || fail "the views of traced-run differ"
check --pairs 1 gaps.perf.data || fail "the views of gaps.perf.data differ"
check --pairs 1 --of touched touched.perf.data || fail "the views of touched.perf.data differ"
check --pairs 1 --of heap heap.etl || fail "the views of heap.etl differ"

# A row that is missing is noticed.
cat >"$TESTDIR/one-less" <<SH
#!/bin/sh
case "\$*" in
"memory "*phase*) exec python3 "$TESTDIR/one-less.py" "\$@" ;;
esac
exec "$STAGETRACE" "\$@"
SH
cat >"$TESTDIR/one-less.py" <<PY
import json, subprocess, sys

result = subprocess.run(["$STAGETRACE", *sys.argv[1:]], stdout=subprocess.PIPE)
output = result.stdout
if "phase" in sys.argv:
    document = json.loads(output)
    del document["rows"][-1]
    output = json.dumps(document).encode()
sys.stdout.buffer.write(output)
sys.exit(result.returncode)
PY
chmod +x "$TESTDIR/one-less"
if STAGETRACE=$TESTDIR/one-less check --filters 0 traced-run >"$TESTDIR/less"; then fail "a missing row was not noticed"; fi
has 'DIFFERS memory: sums of rows: by phase' "$TESTDIR/less"
