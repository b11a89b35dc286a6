#!/usr/bin/env bash
# Each header compiles alone: it includes what it uses. A job takes all headers of a directory through one call of the compiler.
set -u
cd "$ROOT" || exit 1

list() {
	local directory

	for directory in $(find src -name '*.h' -printf '%h\n' | sort -u); do
		if [ "$directory" = src/platform/windows ] && ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
			echo "SKIP $directory: no x86_64-w64-mingw32-gcc"
		else
			echo "cpu $directory"
		fi
	done
}

# compile DIRECTORY SOURCE...
compile() {
	local compiler=${CC:-cc} flags packages

	read -ra packages < <(sed -nE 's/^(ELF_)?PKGS := //p' Makefile | paste -sd ' ')
	read -ra flags < <(pkg-config --cflags "${packages[@]}")
	flags+=(-std=c11 -Wall -Wextra -Wpedantic -Werror -Isrc -fsyntax-only)
	case $1 in
	src/platform/posix) flags+=(-D_GNU_SOURCE) ;;
	src/platform/windows) compiler=x86_64-w64-mingw32-gcc ;;
	esac
	# shellcheck disable=SC2086 # CC may be more than a word
	$compiler "${flags[@]}" "${@:2}"
}

run() {
	local header name sources=() all

	mkdir -p "$SCRATCH/headers/$1"
	for header in "$1"/*.h; do
		name=$SCRATCH/headers/${header%.h}.c
		printf '#include "%s"\ntypedef int not_empty;\n' "${header#src/}" >"$name"
		sources+=("$name")
	done
	compile "$1" "${sources[@]}" 2>/dev/null
	all=$?
	for header in "$1"/*.h; do
		if [ $all = 0 ] || compile "$1" "$SCRATCH/headers/${header%.h}.c"; then
			echo "PASS $header compiles alone"
		else
			echo "FAIL $header compiles alone"
		fi
	done
}

"$@"
