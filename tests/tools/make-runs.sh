#!/usr/bin/env bash
# Make runs without a trace, one a night, from tests/data/tiny-run: make-runs.sh DATA DIR CPU_MS...
#
# Each has the CPU time in milliseconds for the compiler of its crate core; the name is that of tiny-run with another day. HOST
# in the environment is their machine, else example; FIRST the number of the first day, else 0.
set -euo pipefail

data=$1 dir=$2
shift 2
day=${FIRST:-0}
mkdir -p "$dir"
for cpu in "$@"; do
	stamp=$(printf '2026%02d%02d' $((day / 28 % 12 + 1)) $((day % 28 + 1)))
	run=$dir/tiny-${stamp}T120000Z
	mkdir -p "$run"
	sed -e "s/tiny-20260131T/tiny-${stamp}T/; s/2026-01-31T/${stamp:0:4}-${stamp:4:2}-${stamp:6:2}T/" \
		-e "s/\"hostname\": \"example\"/\"hostname\": \"${HOST:-example}\"/" \
		-e "s/\"git_commit\": \"0123/\"git_commit\": \"$(printf %04x "$day")/" "$data/tiny-run/manifest.json" >"$run/manifest.json"
	sed -E "/\"crate\":\"core\"/s/\"cpu_ns\":[0-9]+/\"cpu_ns\":${cpu}000000/" "$data/tiny-run/processes.jsonl" >"$run/processes.jsonl"
	day=$((day + 1))
done
