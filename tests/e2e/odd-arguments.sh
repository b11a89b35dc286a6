#!/usr/bin/env bash
# Arguments with newlines, with invalid UTF-8, empty ones, and of 100 KB: all are recorded, byte for byte.
. "$SRCDIR/tests/e2e/lib/lib.sh"

make_checkout none '
big=$(head -c 100000 /dev/zero | tr "\0" x)
bad=$(printf "caf\351 \377")
for i in 1 2 3 4 5; do /bin/sh -c "sleep 0.05" "one
two" "" "$bad" "$big"; done'
"$STAGETRACE" record test.ini >out 2>err || fail "$(cat err)"
python3 - "$(the_run runs)/processes.jsonl" <<'PY'
import json, sys
want = [b"one\ntwo", b"", b"caf\xe9 \xff", b"x" * 100000]
found = 0
for line in open(sys.argv[1]):
    row = json.loads(line)
    hexes = row.get("argv_hex") or [None] * len(row["argv"])
    argv = [bytes.fromhex(h) if h else a.encode() for a, h in zip(row["argv"], hexes)]
    found += argv[-4:] == want and row["exec_seen"]
assert found == 5, "found %d of 5" % found
PY
"$STAGETRACE" processes "$(the_run runs)" --format json >rows.json
python3 -c 'import json; json.load(open("rows.json"))'
