#!/usr/bin/env bash
# kind: cpu
# Files for pprof are read by Go's own pprof, which has the sums of the command line. `make test` installs no Go, which has half a
# gigabyte: with Debian's golang-go, or another one, this runs.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/exports.sh"

command -v go >/dev/null || skip "go is not installed"
timeout 60 go tool -n pprof >/dev/null 2>&1 || skip "this go has no pprof"

make_runs
for run in plain gaps hostile; do
	expect "$run"
	"$STAGETRACE" export "$run" -o "$run.pb.gz" 2>log
done
python3 - <<'PY' || fail "pprof has other sums"
import json, re, subprocess

def pprof(run, metric, *options):
    unit = "ns" if metric == "cpu" else "B"
    text = subprocess.run(["go", "tool", "pprof", "-top", "-nodefraction=0", "-nodecount=1000000", "-sample_index=" + metric, "-unit=" + unit,
                           *options, run + ".pb.gz"], stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=True).stdout
    return int(re.search(rf"^Showing nodes accounting for (\d+)({unit})?, ", text, re.M).group(1)), text

for run in ("plain", "gaps", "hostile"):
    expected = json.load(open(f"expected-{run}.json"))
    for metric in ("cpu", "size", "at-peak", "outstanding"):
        found, text = pprof(run, metric)
        assert found == expected[metric]["total"], (run, metric, found, expected[metric]["total"])
for crate, ns in json.load(open("expected-plain.json"))["cpu"]["crate"].items():
    if crate != "None":
        found, text = pprof("plain", "cpu", f"-tagfocus=crate=^{re.escape(crate)}$")
        assert found == ns, (crate, found, ns)
found, text = pprof("plain", "cpu")
assert re.search(r" rustc_parse::parser::parse_expr$", text, re.M), text
PY
