#!/bin/bash
# Pack the program for Windows with what belongs to it into one zip, to be unpacked anywhere:
#
#   windows/dist.sh STAGETRACE.EXE VERSION DIR     DIR/stagetrace-VERSION-windows.zip
set -euo pipefail

[ $# = 3 ] || { echo "usage: windows/dist.sh STAGETRACE.EXE VERSION DIR" >&2; exit 2; }
top=$(realpath "$(dirname "$0")/..")
program=$(realpath "$1")
name=stagetrace-$2
zip=$(realpath "$3")/$name-windows.zip
licences=$(dirname "$program")/dependencies/licences

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name"
cd "$work/$name"
x86_64-w64-mingw32-strip -o stagetrace.exe "$program"
cp "$top"/README.md "$top"/LICENSE* .
cp -R "$top/docs" "$top/profiles" "$top/configs" .
# A recording of perf's, by a script for Linux.
rm -f configs/demo.ini
mkdir licences
for library in "$licences"/*; do
	# Of the tests, not of the program.
	[ "${library##*/}" = cmocka ] || cp "$library" "licences/${library##*/}.txt"
done

cd ..
rm -f "$zip"
# -X: no owners, no times but the plain ones.
zip -q -r -X "$zip" "$name"
echo "$zip"
