#!/usr/bin/env bash
# Each header compiles alone: it includes what it uses.
set -u
cd "$ROOT" || exit 1
read -ra packages < <(sed -n 's/^PKGS := //p' Makefile)
read -ra library_flags < <(pkg-config --cflags "${packages[@]}")

while IFS= read -r header; do
	flags=(-std=c11 -Wall -Wextra -Wpedantic -Werror -Isrc "${library_flags[@]}")
	case $header in
	src/platform/win/*) continue ;; # the cross build's
	src/platform/posix/*) flags+=(-D_GNU_SOURCE) ;;
	esac
	if printf '#include "%s"\ntypedef int not_empty;\n' "${header#src/}" |
		"${CC:-cc}" "${flags[@]}" -fsyntax-only -x c - 2>"$SCRATCH/header.log"; then
		echo "PASS $header compiles alone"
	else
		cat "$SCRATCH/header.log"
		echo "FAIL $header compiles alone"
	fi
done < <(find src -name '*.h' | sort)
