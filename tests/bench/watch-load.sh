#!/usr/bin/env bash
# What the process watch sees of PROCESSES (default 10000) of /bin/true next to two busy loops, and the CPU time that it takes: by the
# system's messages where they are permitted, and by polling.
#
#     make tests && tests/bench/watch-load.sh [PROCESSES]
set -euo pipefail
cd "$(dirname "$0")/../.."
processes=${1:-10000}
tool=$PWD/build/tests/tools/time-watch
loops=()
trap 'kill "${loops[@]}"' EXIT
for _ in 1 2; do
	while :; do :; done &
	loops+=($!)
done
"$tool" "$processes"
"$tool" "$processes" poll
