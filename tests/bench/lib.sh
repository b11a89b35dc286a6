# Sourced by the benchmarks: the times and the memory of commands that run in turn. Set $work to a directory before.
# shellcheck shell=bash

: "${work:?}"

# take NAME COMMAND...: one line "seconds CPU-seconds kilobytes" more in NAME.times. time(1) prints hundredths, too coarse
# for what takes a few of them. What the command prints goes to the file $output, if that is set.
take() {
	local name=$1 begin end status=0
	shift
	begin=$EPOCHREALTIME
	/usr/bin/time -q -o "$work/peak" -f '%U %S %M' "$@" >"${output:-/dev/null}" 2>"$work/stderr" || status=$?
	end=$EPOCHREALTIME
	if [ $status != 0 ]; then
		echo "exit code $status: $*" >&2
		head -n 5 "$work/stderr" >&2
		return 1
	fi
	echo "$begin $end $(tail -n 1 "$work/peak")" | awk '{ printf "%.6f %.2f %d\n", $2 - $1, $3 + $4, $5 }' >>"$work/$name.times"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
seconds_of() { cut -d ' ' -f 1 "$work/$1.times" | median; }
cpu_of() { cut -d ' ' -f 2 "$work/$1.times" | median; }
peak_of() { cut -d ' ' -f 3 "$work/$1.times" | sort -n | tail -n 1; }

# ratio A B [COLUMN]: the median of the ratios A / B, round by round: both ran side by side. Of seconds, or another column.
ratio() { paste -d ' ' "$work/$1.times" "$work/$2.times" | awk -v at="${3:-1}" '{ print $at / $(at + 3) }' | median; }

# judge VALUE LIMIT at-most|at-least: whether the aim is reached, in words
judge() {
	awk -v value="$1" -v limit="$2" -v how="$3" 'BEGIN {
		good = how == "at-most" ? value <= limit : value >= limit
		printf "%.2f, aim %s %s: %s", value, how == "at-most" ? "<=" : ">=", limit, good ? "reached" : "MISSED" }'
}
