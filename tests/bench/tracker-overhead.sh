#!/usr/bin/env bash
# Wall time of stage 2 of the small bootstrap: stagetrace record against plain perf record of the same events, in
# pairs that alternate who goes first. Prints each pair and the median of the ratios. The build's own time is
# taken, by time(1) in front of it: setting up and taking down the events costs both the same second or two, in
# steps of the kernel's that would hide what is looked for.
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
command = time -f %e -o ../seconds python3 x.py build --stage 2 -i library
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

# The build's wall time in milliseconds.
build_ms() { awk '{ printf "%d", $1 * 1000 }' seconds; }

plain() {
	clean
	(cd rust && sh "$work/perf.sh" >"$work/perf.log" 2>&1)
	build_ms
}

tracked() {
	clean
	rm -rf runs
	"$stagetrace" record --skip-stage1 --no-bundle bench.ini >record.out 2>record.err
	build_ms
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
