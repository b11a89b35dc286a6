#!/bin/sh
# Run each fuzzer given for FUZZ_SECONDS with its corpus, which is copied first: new inputs stay in the build
# directory. One line each; findings are kept next to the copy, and are a failure.
set -eu

seconds=${FUZZ_SECONDS:-60}
here=$(dirname "$0")
failed=0

for fuzzer in "$@"; do
	name=$(basename "$fuzzer")
	work=$(dirname "$fuzzer")/$name.work
	log=$work/log
	corpus=$here/corpus/${name#fuzz_}

	mkdir -p "$work/corpus"
	[ ! -d "$corpus" ] || cp "$corpus"/* "$work/corpus/"
	result=ok
	"$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$work/" "$work/corpus" >"$log" 2>&1 || result="FAILED, see $log"
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	[ "$result" = ok ] || failed=1
	echo "$name: ${runs:-?} executions, $seconds s, $result"
done
exit $failed
