#!/usr/bin/env bash
# 10,000 short processes: each is a row, with its command line.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"

# Each lives for a millisecond, as /bin/true does, but sleeps meanwhile.
cat >short.c <<'C'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void _start(void)
{
	struct timespec time = { .tv_nsec = 1000000 };

	syscall(SYS_nanosleep, &time, NULL);
	_exit(0);
}
C
cc -O1 -static -nostartfiles -o short short.c 2>/dev/null || cp "$(type -P true)" short
cat >spawn.py <<'PY'
import os, sys
short = os.path.abspath("../short")
for i in range(10000):
    pid = os.posix_spawn(short, [short, "number", str(i)], os.environ)
    os.waitpid(pid, 0)
PY
make_checkout none "python3 $TESTDIR/spawn.py"
"$STAGETRACE" record test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
[ "$(manifest "$run" .tracker.method)" != "polling /proc" ] ||
	skip "the proc connector is not available: polling can't see each process of 1 ms"
python3 - "$run/processes.jsonl" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
seen = {row["argv"][2] for row in rows if row["argv"][1:2] == ["number"] and row["exec_seen"]}
ended = sum(row["exit_code"] == 0 for row in rows if row["argv"][1:2] == ["number"])
spawners = {row["pid"] for row in rows if "spawn.py" in " ".join(row["argv"])}
children = sum(row["ppid"] in spawners for row in rows)
print("children %d, with command line %d, with exit code %d" % (children, len(seen), ended))
assert children == 10000, children
assert len(seen) >= 9900, len(seen)
PY
