#!/usr/bin/env bash
# The time to open a PDB and look up 50,000 names, compared with an ELF file with as many functions of the same names:
# medians of ROUNDS (default 5), each in a new process, from a warm cache.
#
#     make build/tests/tools/time-symbols && tests/bench/pdb-lookups.sh [FUNCTIONS [ROUNDS]]
set -euo pipefail
cd "$(dirname "$0")/../.."
functions=${1:-100000} rounds=${2:-5}
tool=$PWD/build/tests/tools/time-symbols
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$tool" make "$functions" "$work/made.pdb" "$work/made.s"
gcc -nostdlib -static -Wl,--entry=0,--build-id=none -o "$work/made.elf" "$work/made.s"
for file in made.elf made.pdb; do
	for ((i = 0; i < rounds; i++)); do
		"$tool" "$work/$file"
	done | sort -n | sed -n "$(((rounds + 1) / 2))p" | sed "s/^/$file: /"
done
