#!/usr/bin/env bash
# Processes, images, PDBs and samples of real ETL files of Windows 7 to 10 equal those of other readers
# (check-etl-rows.py). The files are not part of the project: they are in $STAGETRACE_SHARED, else ../shared.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
files=${STAGETRACE_SHARED:-$SRCDIR/../shared}/etl
[ -f "$files/README.md" ] || skip "real ETL files are not here: ../shared/etl"
rows=$(dirname "$STAGETRACE")/tests/tools/etl-rows
[ -x "$rows" ] || skip "etl-rows is not built"
check=$SRCDIR/tests/tools/check-etl-rows.py

python3 "$check" "$rows" "$STAGETRACE" "$files" || fail "what is read differs"

# The comparison itself can fail: an age, a count.
cp -r "$files" wrong
chmod -R u+w wrong
sed -i '2s/\t2\t/\t3\t/' wrong/perfview-net452-x64-win8/snail.rsds.tsv
sed -i 's/PerfInfo\/Sample:6320/PerfInfo\/Sample:6321/' wrong/perfview-net452-x64-win8/net.4.5.2.x64.baseline.txt
if python3 "$check" "$rows" "$STAGETRACE" wrong >wrong.out; then fail "differences were not seen"; fi
grep -q "snail.rsds.tsv differs" wrong.out || fail "$(cat wrong.out)"
grep -q "samples are not 6321" wrong.out || fail "$(cat wrong.out)"
