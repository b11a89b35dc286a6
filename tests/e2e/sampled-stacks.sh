#!/usr/bin/env bash
# Memory by function, estimated from sampled stacks, with an ordinary rustc without frame pointers: nine stack copies of ten,
# and nine bytes of ten, have a complete stack, and the shares equal those of a recording with the stacks of all events.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"
run= # by shared_bootstrap

for mode in sampled dwarf; do
	shared_bootstrap $mode
	# perf was asked to read its buffers all the while: what it reads last must be little.
	woken=$(sed -n 's/.*Woken up \([0-9]*\) times.*/\1/p' "$run/logs/recorder.log")
	[ "${woken:-0}" -ge 20 ] || fail "perf read its buffers ${woken:-0} times: $(cat "$run/logs/recorder.log")"
	cp "$run/symbols/stacks.txt" $mode-copies.txt
	for by in stack function crate; do
		"$STAGETRACE" memory "$run" --by $by --format json >$mode-$by.json 2>$mode-$by.err ||
			fail "memory --by $by: $(cat $mode-$by.err)"
		! grep truncated $mode-$by.err || fail "the end of the trace is missing"
	done
done
python3 - <<'PY'
import json, sys

NOT_SAMPLED, TRUNCATED = "[not sampled]", "[truncated]"
STARTS = ("_start", "clone3", "clone", "start_thread", "_dl_start_user")
failed = False


def read(mode, by):
    with open("%s-%s.json" % (mode, by)) as file:
        return json.load(file)


def check(good, text):
    global failed
    failed |= not good
    print("%s %s" % ("ok     " if good else "WRONG  ", text))


def is_start(name):
    return name.split("@")[0].lstrip("_").removeprefix("GI_").lstrip("_") in {one.lstrip("_") for one in STARTS}


def starts_of(rows):
    """Where names are stripped, as Debian's libc.so.6 has them, a file has one or two places where all stacks begin."""
    places = {}
    for row in rows:
        module, mark, offset = row["stack"][0].rpartition("!0x")
        if mark:
            of_module = places.setdefault(module, {})
            of_module[offset] = of_module.get(offset, 0) + row["size_bytes"]
    return {
        "%s!0x%s" % (module, offset)
        for module, of_module in places.items()
        for offset in sorted(of_module, key=of_module.get, reverse=True)[:2]
    }


def whole(mode):
    """By copies, and by bytes, where a picked one counts for all it stands for."""
    ends = []
    with open(mode + "-copies.txt") as file:
        ends = [line.split()[3] for line in file if line.startswith("copy\t")]
    full = 100 * ends.count("whole") / len(ends)
    check(len(ends) > 1000 and full >= 90, "%s: %.1f %% of %d copies are whole" % (mode, full, len(ends)))
    rows = [row for row in read(mode, "stack") if row["stack"] != [NOT_SAMPLED]]
    size = sum(row["size_bytes"] for row in rows)
    reach = 100 * sum(row["size_bytes"] for row in rows if row["stack"][0] != TRUNCATED) / size
    unnamed = starts_of(rows)
    start = 100 * sum(row["size_bytes"] for row in rows if is_start(row["stack"][0]) or row["stack"][0] in unnamed) / size
    check(reach >= 90, "%s: %.1f %% of the bytes are of whole stacks" % (mode, reach))
    check(start >= 90, "%s: %.1f %% begin where stacks do" % (mode, start))
    check(all(TRUNCATED not in row["stack"][1:] for row in rows), "%s: stacks have no gaps" % mode)


def shares(mode, by):
    table = {}
    for row in read(mode, by):
        table[row[by]] = table.get(row[by], 0) + row["size_bytes"]
    total = sum(table.values())
    return {key: 100 * size / total for key, size in table.items()}


for mode in ("sampled", "dwarf"):
    whole(mode)
for by in ("function", "crate"):
    sampled, full = shares("sampled", by), shares("dwarf", by)
    top = sorted(full, key=full.get, reverse=True)[:15] + sorted(sampled, key=sampled.get, reverse=True)[:15]
    for key in dict.fromkeys(top):
        left, right = sampled.get(key, 0), full.get(key, 0)
        check(abs(left - right) <= 5, "%s %s: %.1f %% sampled, %.1f %% of all" % (by, key, left, right))
check(abs(shares("sampled", "function").get(NOT_SAMPLED, 0)) <= 5, "what is left over is near nothing")
check(NOT_SAMPLED not in shares("dwarf", "function"), "all stacks were recorded with dwarf")
sys.exit(failed)
PY
