#!/bin/bash
# Programs of others that read exported files, from the npm registry, in fixed versions: they are what the tests of exports open their
# files with. They are kept in build/consumers. All run with Debian 12's Node.js 18: a later playwright-core does not.
#
# consumers.sh            install what is missing; says what it cannot
# consumers.sh DIRECTORY  the same there, print DIRECTORY/node_modules; exit 77, with the reason, if it cannot
set -u
packages=(speedscope@1.25.0 pprof-format@2.3.2 @firefox-devtools/profiler-cli@0.10.0 playwright-core@1.61.1)
dir=${1:-build/consumers}
wanted="${packages[*]}"

printed=${1:-}

absent() {
	echo "no programs that read exported files: $*"
	[ -z "$printed" ] || exit 77
	exit 0
}

install_all() {
	[ "$(cat "$dir/installed" 2>/dev/null)" != "$wanted" ] || return 0
	command -v node >/dev/null && command -v npm >/dev/null || absent "no node and npm here"
	if ! (cd "$dir" && timeout 120 npm install --no-audit --no-fund --ignore-scripts --loglevel=error \
		--prefix . "${packages[@]}") >"$dir/log" 2>&1; then
		absent "npm install failed: $(tail -n 1 "$dir/log")"
	fi
	echo "$wanted" >"$dir/installed"
}

mkdir -p "$dir" && exec 9>"$dir/lock" && flock 9 || exit 1
install_all
[ -z "$printed" ] || echo "$dir/node_modules"
