#!/usr/bin/env bash
# The picture of a build and the series of its phases have what `cpu --by phase` has, of a recording whose stacks are completed.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"
run= # by shared_bootstrap

shared_bootstrap sampled
"$STAGETRACE" timeline "$run" --format svg -o build.svg -q || fail "timeline --format svg"
"$STAGETRACE" cpu "$run" --by process,phase --role rustc --format json -q >phases.json || fail "cpu --by process,phase"
python3 - <<'PY'
import json, re, sys

# As analysis/phase_group.c groups them.
FRONTEND = ("parse and expand", "resolve names", "lower to HIR", "type check", "trait selection", "inference", "layouts and instances",
            "match checking", "borrow check", "lints and passes")
CODEGEN = ("monomorphization", "codegen", "symbol names")


def group_of(phase):
    outer, _, inner = phase.partition(": ")
    if outer in ("LLVM", "linking"):
        return outer
    if outer != "rustc":
        return "other work"
    if inner.startswith("MIR ") or inner == "const evaluation":
        return "MIR"
    return "frontend" if inner in FRONTEND else "codegen" if inner in CODEGEN else "other work"


sums = {}
for row in json.load(open("phases.json")):
    groups = sums.setdefault(row["pid"], {})
    group = group_of(row["phase"])
    groups[group] = groups.get(group, 0) + row["self_ns"]
bars = {}
for title in re.findall(r"<g><title>([^<]*role rustc,[^<]*)</title>", open("build.svg").read()):
    pid = int(re.search(r"pid (\d+)", title).group(1))
    bars[pid] = {name: int(share) for name, share in re.findall(r"(?:\n|, )([\w ]+) (\d+)%", title)}
worst = 0
for pid, groups in sums.items():
    whole = sum(groups.values())
    for group in set(groups) | set(bars[pid]):
        share, shown = 100 * groups.get(group, 0) / whole, bars[pid].get(group, 0)
        worst = max(worst, abs(share - shown))
        if abs(share - shown) > 0.51:
            sys.exit("process %d, %s: %d %% in the picture, %.2f %% of the samples" % (pid, group, shown, share))
names = {group for groups in bars.values() for group in groups}
if len(sums) < 11 or not {"frontend", "MIR", "codegen", "LLVM"} <= names:
    sys.exit("%d compilers, phases %s" % (len(sums), sorted(names)))
print("%d compilers, at most %.2f points of rounding" % (len(sums), worst))
PY
for by in phase query; do
	"$STAGETRACE" timeline "$run" --by $by --top 1000 --time 2s.. --format csv --columns $by,cpu_ns -q | tr -d '\r' |
		awk -F, 'NR > 1 { sums[$1] += $2 } END { for (key in sums) printf "%s,%.0f\n", key, sums[key] }' | sort >series
	"$STAGETRACE" cpu "$run" --by $by --time 2s.. --format csv --columns $by,self_ns -q | tr -d '\r' | sed 1d | grep -v ',0$' | sort >sums
	[ -s sums ] || fail "cpu --by $by has no rows"
	cmp series sums || fail "the series of timeline --by $by have other sums than cpu --by $by"
done
nothing_left
