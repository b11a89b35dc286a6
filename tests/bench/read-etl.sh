#!/usr/bin/env bash
# How fast and in how much memory ETL files are read: CPU time compared with a pass that only reads headers, events a second on
# one core and on two, bytes of JSON a second, growth with the length, and compressed files compared with a pass that only
# unpacks and reads headers; and dissect.etl by fox-it, if it is installed.
#
#     make && tests/bench/read-etl.sh [ROUNDS]
#
# The file is made up (tests/tools/make-etl.c): samples, commits and frees with stacks, processes, threads, images. Each round
# runs all programs once, one after the other, from a warm cache; medians of ROUNDS (default 5) are shown. What runs on one
# core is judged by its CPU time, user's and system's, so that other jobs may run meanwhile; what runs on two by the clock.
#
#     STAGETRACE  the program (build/stagetrace)
#     MILLIONS    events of the file (13: 2.1 GB); those of the compressed one are a quarter
#     LONG        how often as long the long ones are: "1 2 4"; "" for not at all. They are made of a quarter of MILLIONS
#     DISSECT     a directory from which `python3 -m` finds dissect.etl, dissect.cstruct and dissect.util, that is one directory
#                 named dissect with etl, cstruct and util of one time in it, and defusedxml; its header pass is over a tenth
#                 of MILLIONS
#     TMP         where the files are made, up to 5 GB (build/bench)
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-5}
case $rounds in
*[!0-9]* | 0) sed -n 's/^# \{0,1\}//; 5p' "$0" >&2; exit 2 ;;
esac
stagetrace=$(realpath "${STAGETRACE:-build/stagetrace}")
millions=${MILLIONS:-13}
make -s build/tests/tools/make-etl build/tests/tools/etl-dump
tools=$PWD/build/tests/tools
for command in "$stagetrace" /usr/bin/time; do
	command -v "$command" >/dev/null || { echo "missing: $command" >&2; exit 1; }
done
mkdir -p "${TMP:-build/bench}"
work=$(mktemp -d "${TMP:-build/bench}/read-etl.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

. tests/bench/lib.sh

rate() { awk -v nr="$1" -v seconds="$(cpu_of "$2")" 'BEGIN { printf "%.2f", nr / seconds / 1e6 }'; }

# row NAME WHAT EVENTS [MORE]
row() {
	printf '%-44s %8.3f s %8.2f s CPU %7.1f MB %6s M events/CPU s  %s\n' "$2" "$(seconds_of "$1")" "$(cpu_of "$1")" \
		"$(awk "BEGIN { print $(peak_of "$1") / 1024 }")" "$(rate "$3" "$1")" "${4:-}"
}

# make_file NAME EVENTS [OPTION]...: in millions; how many it has
make_file() {
	local name=$1 nr=$2
	shift 2
	"$tools/make-etl" -m "$nr" "$@" "$work/$name.etl" | cut -d ' ' -f 1
}

# of_headers NAME AIM: its CPU time, round by round, compared with that of the headers pass
of_headers() { echo "of headers: $(judge "$(ratio "$1" dump 2)" "$2" at-most)"; }

# What the rows of JSON take on top of what is needed for one of them.
json_speed() {
	local bytes=$1
	awk -v bytes="$bytes" -v all="$(cpu_of json-1)" -v one="$(cpu_of json-row)" 'BEGIN { print bytes / (all - one) / 1e6 }'
}

side_by_side() {
	local events i bytes trace=$work/whole.etl

	events=$(make_file whole "$millions")
	for i in $(seq 0 "$rounds"); do
		take all-1 env STAGETRACE_THREADS=1 "$stagetrace" processes "$trace"
		take all-2 env STAGETRACE_THREADS=2 "$stagetrace" processes "$trace"
		take memory-1 env STAGETRACE_THREADS=1 "$stagetrace" memory "$trace" --by process
		take memory-2 env STAGETRACE_THREADS=2 "$stagetrace" memory "$trace" --by process
		take stacks-1 env STAGETRACE_THREADS=1 "$stagetrace" memory "$trace" --by stack
		take cpu-1 env STAGETRACE_THREADS=1 "$stagetrace" cpu "$trace" --by stack
		take cpu-2 env STAGETRACE_THREADS=2 "$stagetrace" cpu "$trace" --by stack
		take json-1 env STAGETRACE_THREADS=1 "$stagetrace" cpu "$trace" --by stack --format json
		take json-row env STAGETRACE_THREADS=1 "$stagetrace" cpu "$trace" --by stack --format json --top 1
		take dump "$tools/etl-dump" -b "$trace"
		[ "$i" != 0 ] || rm "$work"/*.times
	done
	echo "$(($(stat -c %s "$trace") / 1000000)) MB, $events events, medians of $rounds rounds, largest peak"
	row all-1 "processes: cpu and memory, one core" "$events" \
		"$(judge "$(rate "$events" all-1)" 6 at-least); $(of_headers all-1 2)"
	row all-2 "processes, two" "$events" "of one: $(printf %.2f "$(ratio all-2 all-1)")"
	row memory-1 "memory --by process, one core" "$events" \
		"$(judge "$(rate "$events" memory-1)" 6 at-least); $(of_headers memory-1 2)"
	row memory-2 "memory --by process, two" "$events" "of one: $(printf %.2f "$(ratio memory-2 memory-1)")"
	row stacks-1 "memory --by stack, one core" "$events" "a row for each stack; $(of_headers stacks-1 4)"
	row cpu-1 "cpu --by stack, one core" "$events" "a row for each stack; $(of_headers cpu-1 4)"
	row cpu-2 "cpu --by stack, two" "$events" "of one: $(printf %.2f "$(ratio cpu-2 cpu-1)")"
	row dump "headers alone, buffer by buffer" "$events"
	bytes=$("$stagetrace" cpu "$trace" --by stack --format json 2>/dev/null | wc -c)
	echo "JSON of cpu --by stack, $((bytes / 1000000)) MB, in MB/CPU s: $(judge "$(json_speed "$bytes")" 400 at-least)"
	for i in all-1 all-2 memory-1 memory-2 stacks-1 cpu-1; do
		echo "peak of $i in MB: $(judge "$(awk "BEGIN { print $(peak_of $i) / 1024 }")" 300 at-most)"
	done
	rm "$trace"
}

# The unpacking is all that a look at headers does more than for plain buffers.
compressed() {
	local events i way

	for way in -c -C; do
		rm -f "$work"/*.times "$work/packed.etl"
		events=$(make_file packed $((millions / 4 + 1)) $way)
		for i in $(seq 0 "$rounds"); do
			take packed-1 env STAGETRACE_THREADS=1 "$stagetrace" memory "$work/packed.etl" --by process
			take packed-2 env STAGETRACE_THREADS=2 "$stagetrace" memory "$work/packed.etl" --by process
			take unpack "$tools/etl-dump" -b "$work/packed.etl"
			[ "$i" != 0 ] || rm "$work"/*.times
		done
		row unpack "make-etl $way: unpacking and headers" "$events"
		row packed-1 "make-etl $way: memory --by process, one core" "$events" \
			"of unpacking: $(printf %.2f "$(ratio packed-1 unpack 2)") of CPU time"
		row packed-2 "make-etl $way: memory --by process, two" "$events" \
			"of unpacking: $(judge "$(ratio packed-2 unpack)" 2 at-most) by the clock"
	done
	rm "$work/packed.etl"
}

long_ones() {
	local n events before="" i

	rm -f "$work"/*.times
	for n in $1; do
		events=$(make_file long $((millions * n / 4 + 1)))
		for i in $(seq 0 "$rounds"); do
			take "long-$n" env STAGETRACE_THREADS=1 "$stagetrace" memory "$work/long.etl" --by process
			[ "$i" != 0 ] || rm "$work/long-$n.times"
		done
		rm "$work/long.etl"
		row "long-$n" "memory --by process, ${n}x" "$events" "$(growth "$before" "$n")"
		before=$n
	done
}

growth() {
	[ -n "$1" ] || return 0
	awk -v before="$(cpu_of "long-$1")" -v now="$(cpu_of "long-$2")" -v m="$1" -v n="$2" 'BEGIN {
		factor = exp(log(now / before) * log(2) / log(n / m))
		printf "by doubling %.2f, aim <= 2.1: %s; ", factor, factor <= 2.1 ? "reached" : "MISSED" }'
	awk -v before="$(peak_of "long-$1")" -v now="$(peak_of "long-$2")" 'BEGIN {
		printf "memory %+.1f MB", (now - before) / 1024 }'
}

headers_of_peer='
import sys
from dissect.etl import ETL
with open(sys.argv[1], "rb") as file:
    print(sum(1 for _ in ETL(file)))
'

peer() {
	local events

	if [ -z "${DISSECT:-}" ]; then
		echo "SKIP dissect.etl: DISSECT does not name it"
		return
	fi
	rm -f "$work"/*.times
	events=$(make_file peer $((millions / 10 + 1)))
	take ours env STAGETRACE_THREADS=1 "$stagetrace" processes "$work/peer.etl"
	rm "$work/ours.times"
	for _ in $(seq "$rounds"); do
		take ours env STAGETRACE_THREADS=1 "$stagetrace" processes "$work/peer.etl"
	done
	take peer env PYTHONPATH="$DISSECT" python3 -c "$headers_of_peer" "$work/peer.etl"
	row ours "processes, one core" "$events"
	row peer "dissect.etl, headers alone, one round" "$events" "of ours: $(judge \
		"$(awk "BEGIN { print $(cpu_of peer) / $(cpu_of ours) }")" 30 at-least)"
	rm "$work/peer.etl"
}

side_by_side
compressed
if [ -n "${LONG-1 2 4}" ]; then long_ones "${LONG-1 2 4}"; fi
peer
