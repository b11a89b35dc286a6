#!/usr/bin/env bash
# All numbers in the views of a recording equal those computed from `perf script` of the same file, with time ranges,
# moments and filters; also for a bare perf.data.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
. "$SRCDIR/tests/e2e/lib/bootstrap.sh"
run= # by shared_bootstrap

simulate() { python3 "$SRCDIR/tests/tools/simulate.py" "$@"; }
compare() { python3 "$SRCDIR/tests/tools/compare-views.py" "$@"; }

shared_bootstrap fp
base=$(manifest "$run" .clock.base_ns)
ranges=(--range 1..2.5 --range 0.7..3@1.5 --range ..2@peak --range 2..@0.5)
simulate --stacks --memory-stacks --regions --base "$base" "${ranges[@]}" "$run/trace.perf.data" >expected.json
# The comparison itself can fail: a page more, of one process, in the first range.
python3 - expected.json >wrong.json <<'PY'
import json, sys
expected = json.load(open(sys.argv[1]))
del expected["ranges"][1:]
max(expected["ranges"][0]["processes"], key=lambda one: one["size"])["at_peak"] += 4096
json.dump(expected, sys.stdout)
PY
compare "$run" expected.json wrong.json || fail "the run's views differ, or a difference of one page was not seen"

# Plain events next to copies that carry stacks: the copies are not counted. A bare file's time starts with its first event.
# The stacks of CPU samples are completed here, so names are compared above alone.
shared_bootstrap sampled
base=$(manifest "$run" .clock.base_ns)
simulate --stacks --regions --base "$base" --bare bare.json --range 1..2.5@2 "$run/trace.perf.data" >expected.json
compare --no-names "$run" expected.json || fail "the views of the run with sampled stacks differ"
compare --no-names "$run/trace.perf.data" bare.json || fail "the bare file's views differ"
