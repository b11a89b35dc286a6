#!/bin/bash
# Pack the program for Windows, its documentation, profiles and configurations into one zip, to be unpacked anywhere:
#
#   dist.sh STAGETRACE.EXE VERSION DIR     DIR/stagetrace-VERSION-windows.zip
set -euo pipefail

[ $# = 3 ] || { echo "usage: dist.sh STAGETRACE.EXE VERSION DIR" >&2; exit 2; }
top=$(realpath "$(dirname "$0")/../../..")
program=$(realpath "$1")
name=stagetrace-$2
zip=$(realpath "$3")/$name-windows.zip
licences=$(dirname "$program")/dependencies/licences

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name"
cd "$work/$name"
x86_64-w64-mingw32-strip -o stagetrace.exe "$program"
cp "$top"/README.md "$top"/CHANGELOG.md "$top"/CONTRIBUTING.md "$top"/LICENSE* .
cp -R "$top/docs" "$top/profiles" "$top/configs" .
# It needs perf, and a script for Linux.
rm -f configs/demo.ini
mkdir licences
for library in "$licences"/*; do
	# The tests use it, the program does not.
	[ "${library##*/}" = cmocka ] || cp "$library" "licences/${library##*/}.txt"
done

cd ..
rm -f "$zip"
# -X: no owners, and times only to two seconds.
zip -q -r -X "$zip" "$name"
echo "$zip"
