#!/usr/bin/env bash
# Wall time of stage 2 of the small bootstrap: stagetrace record against plain perf record of the same events, in
# pairs that alternate who goes first. Prints each pair and the median of the ratios.
#
#     make && tests/bench/tracker-overhead.sh [PAIRS]
set -euo pipefail
cd "$(dirname "$0")/../.."
pairs=${1:-5}
stagetrace=$PWD/build/stagetrace
work=$PWD/build/bench/tracker-overhead
PATH=$PATH:$HOME/.cargo/bin
rm -rf "$work"
mkdir -p "$work/rust"
(cd tests/bootstrap && tar c --exclude=./build .) | tar x -C "$work/rust"
cat >"$work/bench.ini" <<'INI'
[run]
name = bench
source = rust
[stage1]
command = python3 x.py build --stage 1 -i library
[stage2]
command = python3 x.py build --stage 2 -i library
[record]
recorder = perf
buffers = 64
min-free-disk = 1GB
INI
cd "$work"
(cd rust && python3 x.py build --stage 1 -i library >../stage1.log 2>&1)

# What perf is asked for, as stagetrace asks it, without the mark and the tracker.
"$stagetrace" record --dry-run --skip-stage1 bench.ini | sed -n 's/.*&& \(perf record .*\) >>.*recorder.log 2>&1)$/\1/p' >perf.sh
[ -s perf.sh ] || { echo "no perf command in the dry run" >&2; exit 1; }
sed -i "s|[^ ]*/trace.perf.data|$work/plain.data|; s|[^ ]*/logs/stage2.log|$work/plain.log|" perf.sh

clean() { rm -rf rust/build/*/stage1-rustc rust/build/*/stage2; }

plain() {
	clean
	local start
	start=$(date +%s%N)
	(cd rust && sh "$work/perf.sh" >"$work/perf.log" 2>&1)
	echo $((($(date +%s%N) - start) / 1000000))
}

tracked() {
	clean
	rm -rf runs
	"$stagetrace" record --skip-stage1 --no-bundle bench.ini >record.out 2>record.err
	python3 - runs/*/manifest.json <<-'PY'
		import json, sys
		command = json.load(open(sys.argv[1]))["commands"][-1]
		print((command["end_ns"] - command["start_ns"]) // 1000000)
	PY
}

for i in $(seq "$pairs"); do
	if [ $((i % 2)) = 1 ]; then
		a=$(plain) b=$(tracked)
	else
		b=$(tracked) a=$(plain)
	fi
	echo "$i: perf record $a ms, stagetrace record $b ms, ratio $(awk "BEGIN { printf \"%.3f\", $b / $a }")" | tee -a pairs
done
awk '{ print $NF }' pairs | sort -n | awk '{ v[NR] = $1 } END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; printf "median ratio %.3f of %d pairs\n", m, NR }'
