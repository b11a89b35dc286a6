#!/usr/bin/env bash
# Each fuzzer that is built (make fuzzers), for a few seconds.
set -u
cd "$ROOT" || exit 1

shopt -s nullglob
for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	program=build/${source%.c}
	# shellcheck disable=SC2053 # ONLY is a pattern
	if [[ $name != $ONLY ]]; then
		continue
	fi
	if [ ! -x "$program" ]; then
		echo "SKIP $name: not built ('make fuzzers' does, with clang)"
	elif FUZZ_SECONDS=${FUZZ_SECONDS:-5} timeout 600 tests/fuzz/run.sh "$program" \
		>"$SCRATCH/fuzz.log" 2>&1; then
		echo "PASS $name"
	else
		tail -n 60 "$SCRATCH/fuzz.log"
		echo "FAIL $name"
	fi
done
