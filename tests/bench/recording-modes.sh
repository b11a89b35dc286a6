#!/usr/bin/env bash
# Wall time of stage 2 of the small bootstrap, recorded with two sets of settings in pairs that alternate who goes first.
# Prints each pair and the median of the ratios.
#
#     make && tests/bench/recording-modes.sh [PAIRS [SETTINGS [SETTINGS]]]
#
# SETTINGS are words "SECTION.KEY=VALUE ..."; by default CPU stacks by frame pointers without touched memory, and none.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$PWD/build/bench/recording-modes
. tests/bench/bootstrap.sh

# recorded_with SETTINGS
recorded_with() {
	local setting arguments=()
	for setting in $1; do
		arguments+=(--set "$setting")
	done
	recorded "${arguments[@]}"
}

first=${2-record.cpu-stacks=fp record.touched=no} second=${3-}
with_first() { recorded_with "$first"; }
with_second() { recorded_with "$second"; }
pairs "${1:-5}" with_first with_second
