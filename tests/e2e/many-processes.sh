#!/usr/bin/env bash
# 10,000 short processes: each is a row, with its command line.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"

cat >spawn.py <<'PY'
import os, sys
for i in range(10000):
    pid = os.posix_spawn("/bin/true", ["/bin/true", "number", str(i)], os.environ)
    os.waitpid(pid, 0)
PY
make_checkout none "python3 $TESTDIR/spawn.py"
"$STAGETRACE" record --set run.timeout=5m test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
[ "$(manifest "$run" .tracker.method)" != "polling /proc" ] ||
	skip "the proc connector is not available: polling can't see each process of 1 ms"
python3 - "$run/processes.jsonl" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
seen = {row["argv"][2] for row in rows if row["argv"][:2] == ["/bin/true", "number"] and row["exec_seen"]}
ended = sum(row["exit_code"] == 0 for row in rows if row["argv"][:2] == ["/bin/true", "number"])
spawners = {row["pid"] for row in rows if "spawn.py" in " ".join(row["argv"])}
children = sum(row["ppid"] in spawners for row in rows)
print("children %d, with command line %d, with exit code %d" % (children, len(seen), ended))
assert children == 10000, children
assert len(seen) >= 9900, len(seen)
PY
