#!/usr/bin/env bash
# Each fuzzer that is built (make fuzzers): its corpus, and for a second in all. `make fuzz` is for longer.
set -u
cd "$ROOT" || exit 1

build() {
	! command -v clang >/dev/null || $BUILD fuzzers
}

list() {
	local source name

	for source in tests/fuzz/fuzz_*.c; do
		name=$(basename "$source" .c)
		if [ -x "build/${source%.c}" ]; then
			echo "cpu $name"
		else
			echo "SKIP $name: not built ('make fuzzers' does, with clang)"
		fi
	done
}

run() {
	if FUZZ_SECONDS=${FUZZ_SECONDS:-1} timeout 1800 tests/fuzz/run.sh "build/tests/fuzz/$1" >"$SCRATCH/$1.log" 2>&1; then
		echo "PASS $1"
	else
		tail -n 60 "$SCRATCH/$1.log"
		echo "FAIL $1"
	fi
}

"$@"
