#!/usr/bin/env bash
# Each header compiles alone: it includes what it uses.
set -u
cd "$ROOT" || exit 1
read -ra packages < <(sed -nE 's/^(ELF_)?PKGS := //p' Makefile | paste -sd ' ')
read -ra library_flags < <(pkg-config --cflags "${packages[@]}")

while IFS= read -r header; do
	compiler=${CC:-cc} flags=(-std=c11 -Wall -Wextra -Wpedantic -Werror -Isrc "${library_flags[@]}")
	case $header in
	src/platform/posix/*) flags+=(-D_GNU_SOURCE) ;;
	src/platform/windows/*)
		compiler=x86_64-w64-mingw32-gcc
		if ! command -v $compiler >/dev/null; then
			echo "SKIP $header compiles alone: no $compiler"
			continue
		fi
		;;
	esac
	if printf '#include "%s"\ntypedef int not_empty;\n' "${header#src/}" |
		"$compiler" "${flags[@]}" -fsyntax-only -x c - 2>"$SCRATCH/header.log"; then
		echo "PASS $header compiles alone"
	else
		cat "$SCRATCH/header.log"
		echo "FAIL $header compiles alone"
	fi
done < <(find src -name '*.h' | sort)
