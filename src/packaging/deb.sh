#!/bin/bash
# Build the package for Debian in a copy of the files that it needs, and check it with lintian if that is installed:
#
#   deb.sh VERSION DIR [BUILT]     DIR/stagetrace_VERSION-1_ARCHITECTURE.deb; DIR/deb is the copy and is replaced
#
# With BUILT, a directory in which the program is built already, it is packed as it is: for tests, which need not wait for
# the compiler.
set -euo pipefail

fail() {
	echo "deb.sh: $*" >&2
	exit 1
}

[ $# = 2 ] || [ $# = 3 ] || { echo "usage: deb.sh VERSION DIR [BUILT]" >&2; exit 2; }
mkdir -p "$2"
version=$1 dir=$(realpath "$2") built=${3:+$(realpath "$3")} options=()
cd "$(dirname "$0")/../.."
packaged=$(dpkg-parsechangelog --file src/packaging/debian/changelog --show-field Version)
[ "${packaged%-*}" = "$version" ] ||
	fail "src/packaging/debian/changelog is about $packaged, the Makefile's VERSION is $version"

copy=$dir/deb/stagetrace-$version
log=$dir/deb/log
rm -rf "$dir/deb"
mkdir -p "$copy"
cp -a Makefile README.md CHANGELOG.md CONTRIBUTING.md LICENSE* configs docs profiles src "$copy"
mv "$copy/src/packaging/debian" "$copy/debian"
src/packaging/commit.sh >"$copy/src/packaging/commit"
if [ -n "$built" ]; then
	mkdir "$copy/build"
	cp -a "$built"/{src,commit,libstagetrace.a,stagetrace} "$copy/build"
	options=(--no-pre-clean --no-check-builddeps)
fi

# Names of functions and lines of stagetrace itself are not worth a second package.
if ! (cd "$copy" && env -u MAKEFLAGS -u MAKELEVEL DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" \
	dpkg-buildpackage --build=binary --no-sign "${options[@]}") >"$log" 2>&1; then
	tail -n 30 "$log" >&2
	fail "cannot build the package; all of it is in $log"
fi
package=$(find "$dir/deb" -maxdepth 1 -name '*.deb')
if command -v lintian >/dev/null; then
	# The package is nobody's to upload to Debian, so no bug asks for it.
	lintian --allow-root --fail-on error --suppress-tags initial-upload-closes-no-bugs "$package"
else
	echo "lintian is not installed: the package is not checked"
fi
mv "$package" "$dir"
echo "$dir/${package##*/}"
