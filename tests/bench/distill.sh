#!/usr/bin/env bash
# What distilling a run's trace takes and gives: seconds and memory, sizes before and after, those of the bundle, and
# views of the distilled run next to the same views of the original with its stack copies, which must print the same.
#
#     make && tests/bench/distill.sh RUN [ROUNDS]
#
# RUN is a run that was recorded with `[record] memory-stacks = sampled` or `dwarf` and `keep-stack-copies = yes`, the
# larger the better: a stage 2 of rustc. It is copied, and not changed. Run it where it was recorded, before the next
# build: the copies are unwound by the files that it ran. Distilling is measured as `recover` does it, at the end of a
# copy whose recording was interrupted there: names, unwinding and the new file; and once more without a copied stack
# left, which is the names alone. The views are of that run, so that what this program distills is compared. Each view
# runs ROUNDS (default 3) times in turn, from a warm cache, and what it prints is compared each time; medians are shown,
# as soon as they are known.
#
#     STAGETRACE      the program (build/stagetrace)
#     DISTILL_ROUNDS  rounds of distilling (3)
#     TMP             where the run is copied to, twice (build/bench)
set -euo pipefail
cd "$(dirname "$0")/../.."
usage() { sed -n 's/^# \{0,1\}//; 5p' "$0" >&2; exit 2; }
[ $# -ge 1 ] && [ -d "$1" ] || usage
run=$(realpath "$1")
rounds=${2:-3}
stagetrace=$(realpath "${STAGETRACE:-build/stagetrace}")
distilled=trace.perf.data original=trace.stack-copies.perf.data
for command in "$stagetrace" /usr/bin/time python3; do
	command -v "$command" >/dev/null || { echo "missing: $command" >&2; exit 1; }
done
for file in $distilled $original; do
	[ -f "$run/$file" ] || { echo "$run has no $file: it was not recorded with keep-stack-copies" >&2; exit 1; }
done
mkdir -p "${TMP:-build/bench}"
work=$(realpath "$(mktemp -d "${TMP:-build/bench}/distill.XXXXXX")")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

. tests/bench/lib.sh

# row NAME WHAT [MORE]
row() {
	printf '%-46s %9.3f s %8.2f s CPU %8.1f MB  %s\n' "$2" "$(seconds_of "$1")" "$(cpu_of "$1")" \
		"$(megabytes "$(peak_of "$1")" 1024)" "${3:-}"
}

# megabytes NUMBER UNITS: of which a megabyte has UNITS
megabytes() { awk -v nr="$1" -v unit="$2" 'BEGIN { printf "%.1f", nr / unit }'; }

bytes_of() { stat -c %s "$1"; }

# Nanoseconds that the recorded build took; nothing if the run does not say it.
build_ns() {
	python3 - "$run/manifest.json" <<'PY'
import json, sys
with open(sys.argv[1]) as file:
    stage2 = json.load(file).get("stage2") or {}
if stage2.get("end_ns"):
    print(stage2["end_ns"] - stage2["start_ns"])
PY
}

# interrupted NAME: a copy of the run, interrupted before its trace was read
interrupted() {
	rm -rf "${work:?}/$1" "$work/$1.partial"
	cp -a "$run" "$work/$1.partial"
	python3 - "$work/$1.partial/manifest.json" <<'PY'
import json, sys
with open(sys.argv[1]) as file:
    manifest = json.load(file)
manifest["state"] = "collecting"
with open(sys.argv[1], "w") as file:
    json.dump(manifest, file)
PY
}

sizes() {
	local before after

	before=$(bytes_of "$work/again/$original") after=$(bytes_of "$work/again/$distilled")
	echo "$run: original $(megabytes "$before" 1e6) MB, distilled $(megabytes "$after" 1e6) MB, 1/$((before / after))"
	sed -n 's/.*compressed (original \([0-9.]* MB\).*/unpacked, as perf says: \1/p' "$run/logs/recorder.log"
	echo "distilled trace in MB: $(judge "$(megabytes "$after" 1e6)" 100 at-most)"
}

distilling() {
	local ns

	for _ in $(seq "${DISTILL_ROUNDS:-3}"); do
		interrupted again
		mv "$work/again.partial/$original" "$work/again.partial/$distilled"
		take distill "$stagetrace" recover "$work/again.partial"
		grep 'the trace is distilled' "$work/stderr" || { cat "$work/stderr" >&2; exit 1; }
		interrupted names
		rm "$work/names.partial/$original"
		take names "$stagetrace" recover "$work/names.partial"
	done
	ns=$(build_ns)
	row distill "names, unwinding, distilling" \
		"${ns:+percent of the build: $(judge "$(awk "BEGIN { print $(seconds_of distill) / $ns * 1e11 }")" 5 at-most)}"
	row names "names alone"
	echo "peak of distilling in MB: $(judge "$(megabytes "$(peak_of distill)" 1024)" 500 at-most)"
	rm -rf "$work/names"
	sizes
}

bundling() {
	rm -f "$work/again/$original"
	take bundle "$stagetrace" bundle "$work/again" -o "$work/bundle.zip"
	row bundle "bundle" "in MB: $(judge "$(megabytes "$(bytes_of "$work/bundle.zip")" 1e6)" 140 at-most)"
}

# take_view NAME COMMAND...: as take(); what it prints must be what the first one of the view printed.
take_view() {
	output=$work/printed take "$@"
	[ -f "$work/expected" ] || mv "$work/printed" "$work/expected"
	[ ! -f "$work/printed" ] || cmp "$work/printed" "$work/expected" || { echo "it differs: $*" >&2; exit 1; }
}

# compare_view VIEW [ARGUMENT]...: of the original, of the distilled run, and of that with one thread
compare_view() {
	local view=$1

	shift
	rm -f "$work"/view-*.times "$work/expected"
	for _ in $(seq "$rounds"); do
		take_view view-original "$stagetrace" "$view" "$work/original" "$@"
		take_view view-distilled "$stagetrace" "$view" "$work/again" "$@"
		take_view view-one env STAGETRACE_THREADS=1 "$stagetrace" "$view" "$work/again" "$@"
	done
	row view-original "$view${1:+ $*}, original"
	row view-distilled "the same, distilled" \
		"of the original: $(judge "$(ratio view-distilled view-original)" 0.25 at-most)"
	row view-one "the same, one thread" "of two: $(printf %.2f "$(ratio view-one view-distilled)")"
}

# The run with either trace. Views of the original unwind nothing: symbols/ has the stacks of its copies.
views() {
	local view
	local -a arguments

	cp -al "$work/again" "$work/original"
	mv "$work/original/$original" "$work/original/$distilled"
	echo "views print the same bytes of both; medians of $rounds rounds, largest peak:"
	while read -r view; do
		read -ra arguments <<<"$view"
		compare_view "${arguments[@]}"
	done <<-'VIEWS'
		memory --by stack --top 50
		memory --by function
		memory --by crate
		cpu --by function
		cpu --by stack --top 50
		processes
		export --format folded --min-share 0 --yes
	VIEWS
	rm -rf "$work/original"
}

distilling
views
bundling
