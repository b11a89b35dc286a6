#!/usr/bin/env bash
# How long each view of a run takes, and in how much memory: of the run directory, of its bundle, and with one thread. The
# aims are those of a stage 2 of rustc on two cores with nothing else to do: 1.5 s, 2.5 s from the bundle, 4 s for a call tree
# with inlined functions, 300 MB.
#
#     make && tests/bench/views.sh RUN [BUNDLE [ROUNDS]]
#
# Each round runs all views once, all but the first from a warm cache; the shortest time and the highest memory of ROUNDS (default 3)
# are shown. What they print, as much as without a terminal, goes to /dev/null.
#
#     STAGETRACE  the program (build/stagetrace)
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -ge 1 ] && [ -d "$1" ] || { sed -n 's/^# \{0,1\}//; 6p' "$0" >&2; exit 2; }
run=$(realpath "$1")
bundle=${2:+$(realpath "$2")}
rounds=${3:-3}
stagetrace=$(realpath "${STAGETRACE:-build/stagetrace}")
mkdir -p build/bench
work=$(mktemp -d build/bench/views.XXXXXX)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. tests/bench/lib.sh

views=(
	'processes'
	'tree'
	'system'
	'memory --by crate'
	'memory --by process'
	'memory --by function'
	'memory --by phase'
	'memory --by query'
	'memory --by stack --top 100'
	'memory --by calls'
	'memory --by region --top 100'
	'memory --by lifetime'
	'memory --of touched --by crate'
	'cpu --by crate'
	'cpu --by function --top 100'
	'cpu --by phase'
	'cpu --by query'
	'cpu --by stack --top 100'
	'cpu --by calls'
	'cpu --by calls --inlines'
	'cpu --by crate,phase'
	'timeline'
	'timeline --by phase'
	'export --format folded'
)

# view NAME TRACE THREADS WORDS...
view() {
	local name=$1 trace=$2 threads=$3 command=$4
	shift 4
	if [ "$command" = export ]; then
		set -- -o "$work/out" --force "$@"
	fi
	STAGETRACE_THREADS=$threads take "$name" "$stagetrace" "$command" "$trace" "$@"
}

least() { cut -d ' ' -f 1 "$work/$1.times" | sort -n | head -n 1; }

for ((round = 0; round < rounds; round++)); do
	for i in "${!views[@]}"; do
		read -ra words <<<"${views[i]}"
		view "$i" "$run" 2 "${words[@]}"
		view "$i.one" "$run" 1 "${words[@]}"
		[ -z "$bundle" ] || view "$i.bundle" "$bundle" 2 "${words[@]}"
	done
done
printf '%-34s %8s %8s %10s %8s\n' view run bundle 'one thread' MB
for i in "${!views[@]}"; do
	printf '%-34s %8.2f %8s %10.2f %8.0f\n' "${views[i]}" "$(least "$i")" \
		"$([ -z "$bundle" ] && echo - || printf %.2f "$(least "$i.bundle")")" "$(least "$i.one")" \
		"$(awk "BEGIN { print $(peak_of "$i") / 1024 }")"
done
