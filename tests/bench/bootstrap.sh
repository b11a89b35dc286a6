# Sourced by the benchmarks that record the small bootstrap: its stage 1 is built in $work, with bench.ini next to it.
# shellcheck shell=bash

: "${work:?}"
PATH=$PATH:$HOME/.cargo/bin
stagetrace=$PWD/build/stagetrace
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
cd "$work" || exit
(cd rust && python3 x.py build --stage 1 -i library >../stage1.log 2>&1)

clean() { rm -rf rust/build/*/stage1-rustc rust/build/*/stage2; }

# The build's wall time in milliseconds.
build_ms() { awk '{ printf "%d", $1 * 1000 }' seconds; }

# recorded [SETTING...]: the wall time of stage 2 under stagetrace record
recorded() {
	clean
	rm -rf runs
	"$stagetrace" record --skip-stage1 --no-bundle bench.ini "$@" >record.out 2>record.err
	build_ms
}

# pairs NR FIRST SECOND: run both NR times in turn, alternating who goes first, and print each pair and the median of the
# ratios. FIRST and SECOND are functions that print milliseconds; $first and $second are what they are called.
pairs() {
	local a b

	: >pairs
	for i in $(seq "$1"); do
		if [ $((i % 2)) = 1 ]; then
			a=$("$2") b=$("$3")
		else
			b=$("$3") a=$("$2")
		fi
		# shellcheck disable=SC2154 # set by the caller
		echo "$i: $first $a ms, $second $b ms, ratio $(awk "BEGIN { printf \"%.3f\", $b / $a }")" | tee -a pairs
	done
	awk '{ print $NF }' pairs | sort -n | awk '{ v[NR] = $1 } END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2; printf "median ratio %.3f of %d pairs\n", m, NR }'
}
