#!/usr/bin/env bash
# Real ETL files of Windows 7 to 11: events, kinds, times and order equal those of other readers (check-etl.py). The
# files are not part of the project: they are in $STAGETRACE_SHARED, else ../shared.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
files=${STAGETRACE_SHARED:-$SRCDIR/../shared}/etl
[ -f "$files/README.md" ] || skip "real ETL files are not here: ../shared/etl"
dump=$(dirname "$STAGETRACE")/tests/tools/etl-dump
[ -x "$dump" ] || skip "etl-dump is not built"
tools=$SRCDIR/tests/tools

python3 "$tools/check-etl.py" "$dump" "$files" || fail "what is read differs"

# The comparison itself can fail: a kind has an event less, a file is cut.
cp -r "$files" wrong
chmod -R u+w wrong
sed -i 's/^perfinfo\tgroup 20\t3\t3\t6549$/perfinfo\tgroup 20\t3\t3\t6548/' wrong/etl-parser-win10/*.counts.tsv
truncate -s 200000 wrong/tx-win7/HTTP_Server.etl
if python3 "$tools/check-etl.py" "$dump" wrong >wrong.out; then fail "differences were not seen"; fi
grep -q "not the counts of ShutdownPerfDiagLogger" wrong.out || fail "$(cat wrong.out)"
grep -q "HTTP_Server.etl: .* events, not 2042" wrong.out || fail "$(cat wrong.out)"
