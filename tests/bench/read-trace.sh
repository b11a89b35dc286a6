#!/usr/bin/env bash
# How fast and in how much memory a perf.data is read, compared with wc(1), perf report and perf script with
# stackcollapse-perf.pl; how both grow with the file's length; and the gain by the second thread.
#
#     make && tests/bench/read-trace.sh TRACE [ROUNDS]
#
# TRACE is a perf.data, or one packed with zstd. The larger the better: a stage 2 of rustc, or, with names that can be
# resolved on this machine, one of your own: `make demo`, then build/demo/runs/*/trace.perf.data. Each round runs all
# programs once, one after the other, all but the first from a warm cache; medians of ROUNDS (default 5) are shown.
# What they write, gigabytes where names are long, goes to /dev/null: it is not the disk that is measured.
#
#     STAGETRACE     the program (build/stagetrace)
#     NAMED          another trace, one of this machine, for how long names, lines and inlined functions take (TRACE)
#     STACKCOLLAPSE  path of stackcollapse-perf.pl (github.com/brendangregg/FlameGraph); not compared without
#     LONG           how often the file is repeated for the long ones: "1 2 4 10"; "" for not at all
#     LONG_ROUNDS    rounds with those (default 3)
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -ge 1 ] && [ -f "$1" ] || { sed -n 's/^# \{0,1\}//; 5p' "$0" >&2; exit 2; }
rounds=${2:-5}
stagetrace=$(realpath "${STAGETRACE:-build/stagetrace}")
tools=$PWD/tests/tools
make -s build/tests/tools/time-names
for command in "$stagetrace" /usr/bin/time python3 perf; do
	command -v "$command" >/dev/null || { echo "missing: $command" >&2; exit 1; }
done
mkdir -p build/bench
work=$(mktemp -d build/bench/read-trace.XXXXXX)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
case $1 in
*.zst)
	trace=$work/trace.perf.data
	zstd -q -d -o "$trace" "$1"
	;;
*) trace=$(realpath "$1") ;;
esac
bytes=$(stat -c %s "$trace")
disk=$(df -B1 --output=avail "$work" | tail -n 1)

. tests/bench/lib.sh

# take_names NAME THREADS: a line as take() adds it, without CPU time, of finding names alone, once the trace was read
take_names() {
	STAGETRACE_THREADS=$2 /usr/bin/time -q -o "$work/peak" -f %M build/tests/tools/time-names "${NAMED:-$trace}" >"$work/names"
	echo "$(cut -d ' ' -f 1 "$work/names") 0 $(tail -n 1 "$work/peak")" >>"$work/$1.times"
}

row() {
	printf '%-46s %9.3f s %8.1f MB  %s\n' "$2" "$(seconds_of "$1")" \
		"$(awk "BEGIN { print $(peak_of "$1") / 1024 }")" "${3:-}"
}

collapse() { perf script --no-inline -i "$trace" | perl "$STACKCOLLAPSE"; }
export -f collapse
export trace

side_by_side() {
	local i

	for i in $(seq 0 "$rounds"); do
		# What the peers of the last round leave, gigabytes to be given back, is not the next one's to pay.
		"$stagetrace" memory "$trace" --by stack >/dev/null 2>&1
		take wc wc -l "$trace"
		take stack "$stagetrace" memory "$trace" --by stack
		take one-stack env STAGETRACE_THREADS=1 "$stagetrace" memory "$trace" --by stack
		take folded "$stagetrace" export "$trace" --format folded --min-share 0 --yes
		take one-folded env STAGETRACE_THREADS=1 "$stagetrace" export "$trace" --format folded --min-share 0 --yes
		take inlined "$stagetrace" cpu "$trace" --by function --inlines
		take one-inlined env STAGETRACE_THREADS=1 "$stagetrace" cpu "$trace" --by function --inlines
		take_names names 2
		take_names one-names 1
		if [ "$i" = 0 ]; then
			rm "$work"/*.times
			continue
		fi
		take report perf report --stdio --no-children --no-inline -i "$trace"
		if [ -n "${STACKCOLLAPSE:-}" ]; then take collapse bash -o pipefail -c collapse; fi
	done
	echo "$trace: $((bytes / 1000000)) MB, medians of $rounds rounds, largest peak"
	row wc "wc -l"
	row stack "stagetrace memory --by stack" "of wc: $(judge "$(ratio stack wc)" 20 at-most)"
	row folded "stagetrace export --format folded"
	row report "perf report --stdio --no-children" "of export: $(judge "$(ratio report folded)" 10 at-least)"
	if [ -n "${STACKCOLLAPSE:-}" ]; then
		row collapse "perf script | stackcollapse-perf.pl" "of export: $(judge "$(ratio collapse folded)" 60 at-least)"
	else
		echo "SKIP perf script | stackcollapse-perf.pl: STACKCOLLAPSE does not name it"
	fi
}

threads() {
	local view
	local -A arguments=([memory]="--by stack --format csv" [cpu]="--by stack --format csv" [export]="--format folded --min-share 0 --yes")

	for view in memory cpu export; do
		# shellcheck disable=SC2086 # several words
		for n in 1 2; do
			STAGETRACE_THREADS=$n "$stagetrace" "$view" "$trace" ${arguments[$view]} >"$work/threads-$n" 2>/dev/null
		done
		cmp "$work/threads-1" "$work/threads-2" || { echo "one thread and two differ: $view" >&2; exit 1; }
	done
	echo "one thread and two: the same bytes"
	row one-stack "memory --by stack, one thread" "of two: $(judge "$(ratio one-stack stack)" 1.6 at-least)"
	row one-folded "export --format folded, one thread" "of two: $(printf %.2f "$(ratio one-folded folded)")"
	row inlined "cpu --by function --inlines"
	row one-inlined "the same, one thread" "of two: $(printf %.2f "$(ratio one-inlined inlined)")"
	echo "names, lines, inlined functions of ${NAMED:-$trace}, once it was read: $(sed 's/.*  //' "$work/names")"
	row names "two threads"
	row one-names "one thread" "of two: $(judge "$(ratio one-names names)" 1.6 at-least)"
}

# Time by length: what a doubling costs, at most 2.1 times the time and no more memory.
long_ones() {
	local n before="" biggest i

	biggest=$(echo "$1" | tr ' ' '\n' | sort -n | tail -n 1)
	if [ "$disk" -lt $((bytes * (biggest + 1))) ]; then
		echo "SKIP long files: they need $((bytes * (biggest + 1) / 1000000)) MB of disk"
		return
	fi
	for n in $1; do
		python3 "$tools/repeat-perf-data.py" "$n" "$trace" "$work/long.data"
		for i in $(seq 0 "${LONG_ROUNDS:-3}"); do
			take "long-stack-$n" "$stagetrace" memory "$work/long.data" --by stack
			take "long-folded-$n" "$stagetrace" export "$work/long.data" --format folded --min-share 0 --yes
			[ "$i" != 0 ] || rm "$work/long-stack-$n.times" "$work/long-folded-$n.times"
		done
		rm "$work/long.data"
		row "long-stack-$n" "memory --by stack, ${n}x" "$(growth stack "$before" "$n")"
		row "long-folded-$n" "export --format folded, ${n}x" "$(growth folded "$before" "$n")"
		before=$n
	done
}

growth() {
	[ -n "$2" ] || return 0
	awk -v before="$(seconds_of "long-$1-$2")" -v now="$(seconds_of "long-$1-$3")" -v m="$2" -v n="$3" 'BEGIN {
		factor = exp(log(now / before) * log(2) / log(n / m))
		printf "by doubling %.2f, aim <= 2.1: %s; ", factor, factor <= 2.1 ? "reached" : "MISSED" }'
	awk -v before="$(peak_of "long-$1-$2")" -v now="$(peak_of "long-$1-$3")" 'BEGIN {
		printf "memory %+.1f MB", (now - before) / 1024 }'
}

side_by_side
threads
if [ -n "${LONG-1 2 4 10}" ]; then long_ones "${LONG-1 2 4 10}"; fi
