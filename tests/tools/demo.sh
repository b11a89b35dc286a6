#!/bin/bash
# Record a real build in two stages, of the small bootstrap in tests/bootstrap: demo.sh STAGETRACE
set -euo pipefail
[[ $# == 1 && -x $1 ]] || {
	echo "usage: demo.sh STAGETRACE" >&2
	exit 2
}
stagetrace=$(realpath "$1")
cd "$(dirname "$0")/../.."

rust=build/demo/rust
mkdir -p "$rust"
# Only what differs is written: cargo goes by the files' times, and what an earlier demo has built in
# stage 1 is still good.
(cd tests/bootstrap && find . -path ./build -prune -o -type f ! -name Cargo.lock -print) |
	while read -r file; do
		cmp -s "tests/bootstrap/$file" "$rust/$file" && continue
		mkdir -p "$(dirname "$rust/$file")"
		cp "tests/bootstrap/$file" "$rust/$file"
	done
# Stage 2 shall have something to do: it is what is recorded.
rm -rf "$rust"/build/*/stage1-rustc "$rust"/build/*/stage2

command -v rustc >/dev/null && command -v cargo >/dev/null || PATH=$PATH:$HOME/.cargo/bin
export PATH
# What make says to the programs that it starts is not part of the build: `rerun`, without make, would find that it differs.
unset MAKEFLAGS MFLAGS MAKELEVEL
"$stagetrace" record configs/demo.ini
run=$(find build/demo/runs -maxdepth 1 -type d -name 'demo-*' ! -name '*.partial' | sort | tail -n 1)
[ -n "$run" ] || exit 0
"$stagetrace" report "$run" -q --force -o build/demo/report.html
echo "  report      $PWD/build/demo/report.html: open it in a browser"
