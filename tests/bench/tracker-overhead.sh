#!/usr/bin/env bash
# Wall time of stage 2 of the small bootstrap: stagetrace record against plain perf record of the same events, in
# pairs that alternate who goes first. Prints each pair and the median of the ratios. The build's own time is
# taken, by time(1) in front of it: setting up and taking down the events costs both the same second or two, in
# steps of the kernel's that would hide what is looked for.
#
#     make && tests/bench/tracker-overhead.sh [PAIRS]
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/bench/tracker-overhead
. tests/bench/bootstrap.sh

# What perf is asked for, as stagetrace asks it, without the mark and the tracker.
"$stagetrace" record --dry-run --skip-stage1 bench.ini | sed -n 's/.*&& \(perf record .*\) >>.*recorder.log 2>&1)$/\1/p' >perf.sh
[ -s perf.sh ] || { echo "no perf command in the dry run" >&2; exit 1; }
sed -i "s|[^ ]*/trace.perf.data|$work/plain.data|; s|[^ ]*/logs/stage2.log|$work/plain.log|" perf.sh

plain() {
	clean
	(cd rust && sh "$work/perf.sh" >"$work/perf.log" 2>&1)
	build_ms
}

first="perf record" second="stagetrace record"
pairs "${1:-5}" plain recorded
