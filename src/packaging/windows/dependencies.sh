#!/bin/bash
# Cross-build the static libraries that stagetrace.exe needs, from Debian's source packages:
#
#   dependencies.sh DIR     DIR/include and DIR/lib for the compiler, DIR/licences for the zip
#
# Silent and quick if nothing is to be built. apt downloads the sources and checks their signatures. It uses separate
# lists and a separate configuration below DIR: those of the system are not touched, and no rights are needed. A
# library is built again when its recipe in this file changes. If that fails, DIR/failed says why.
set -euo pipefail

# The release of Debian that the recipes were tried with.
release=bookworm
host=x86_64-w64-mingw32

# Each library and its source package. inih's own source package cannot be downloaded (its tarballs are gone from the
# archive); ucx contains the same ini.c and ini.h.
table='
zlib      zlib
zstd      libzstd
libzip    libzip
jansson   jansson
xml2      libxml2
nettle    nettle
inih      ucx
iberty    libiberty
sqlite3   sqlite3
cmocka    cmocka
'

fail() {
	echo "$*" >"$prefix/failed"
	echo "dependencies.sh: $*" >&2
	exit 1
}

# Each recipe runs in the package's unpacked source, with bash -e. Where little is asked of the system, it compiles without
# configure, which takes longer than the library.

build_zlib() {
	# Debian strips win32/, which its own makefile and CMake files need.
	compile adler32.c compress.c crc32.c deflate.c infback.c inffast.c inflate.c inftrees.c trees.c uncompr.c zutil.c
	archive libz.a
	cp zlib.h zconf.h "$prefix/include"
}

build_zstd() {
	make -C lib -j"$(nproc)" CC=$host-gcc AR=$host-ar CFLAGS=-O2 TARGET_SYSTEM=Windows_NT ZSTD_LIB_DICTBUILDER=0 \
		ZSTD_LIB_DEPRECATED=0 ZSTD_LEGACY_SUPPORT=0 libzstd.a
	cp lib/libzstd.a "$prefix/lib"
	cp lib/zstd.h lib/zstd_errors.h "$prefix/include"
}

# No encryption: bundles have none, and with it the program would need bcrypt.dll, which Wine loads slowly.
build_libzip() {
	cmake -S . -B build -C "$top/libzip.cmake" -DCMAKE_TOOLCHAIN_FILE="$top/toolchain.cmake" -DCMAKE_INSTALL_PREFIX="$prefix" \
		-DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
		-DBUILD_TOOLS=OFF -DBUILD_REGRESS=OFF -DBUILD_EXAMPLES=OFF -DBUILD_DOC=OFF -DENABLE_BZIP2=OFF \
		-DENABLE_LZMA=OFF -DENABLE_COMMONCRYPTO=OFF -DENABLE_WINDOWS_CRYPTO=OFF -DENABLE_OPENSSL=OFF \
		-DENABLE_GNUTLS=OFF -DENABLE_MBEDTLS=OFF \
		-DZLIB_INCLUDE_DIR="$prefix/include" -DZLIB_LIBRARY="$prefix/lib/libz.a"
	cmake --build build -j"$(nproc)"
	cmake --install build
}

build_jansson() {
	cd src
	: >jansson_private_config.h
	sed 's/@json_inline@/inline/; s/@json_[a-z_]*@/1/' jansson_config.h.in >jansson_config.h
	compile -I. -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_SYS_TIME_H -DHAVE_SYS_TYPES_H -DHAVE_GETTIMEOFDAY -DHAVE_GETPID \
		-DUSE_WINDOWS_CRYPTOAPI ./*.c
	archive libjansson.a
	cp jansson.h jansson_config.h "$prefix/include"
}

# The parser and the tree, for UTF-8 and UTF-16, without files, networks and threads.
build_xml2() {
	sed 's/@WITH_TREE@/1/; s/@WITH_[A-Z0-9_]*@/0/; s/@VERSION@/2/g; s/@LIBXML_VERSION_NUMBER@/20914/g; s/@[A-Z_]*@//' \
		include/libxml/xmlversion.h.in >include/libxml/xmlversion.h
	printf '#define HAVE_%s 1\n' STDARG_H STDINT_H STDLIB_H STRING_H CTYPE_H ERRNO_H FLOAT_H MATH_H LIMITS_H SYS_STAT_H \
		SYS_TYPES_H FCNTL_H TIME_H VA_COPY >config.h
	compile -DLIBXML_STATIC -I. -Iinclude SAX2.c buf.c chvalid.c dict.c encoding.c entities.c error.c globals.c hash.c list.c \
		parser.c parserInternals.c threads.c tree.c uri.c valid.c xmlIO.c xmlmemory.c xmlstring.c
	archive libxml2.a
	mkdir -p "$prefix/include/libxml"
	cp include/libxml/*.h "$prefix/include/libxml"
}

# SHA-256 is all that is used.
build_nettle() {
	compile sha256.c sha256-compress.c write-be32.c
	archive libnettle.a
	mkdir -p "$prefix/include/nettle"
	cp sha2.h nettle-types.h "$prefix/include/nettle"
}

build_inih() {
	# Its licence is the package's, its author is not.
	sed -n '1,/\*\//p' src/ucs/config/ini.h >notice
	cd src/ucs/config
	compile ini.c
	archive libinih.a
	cp ini.h "$prefix/include"
}

# The demanglers for Rust and C++ alone, without configure: there is little that they ask the system for.
build_iberty() {
	compile -Iinclude -DHAVE_STDLIB_H -DHAVE_STRING_H libiberty/rust-demangle.c libiberty/cp-demangle.c \
		libiberty/safe-ctype.c
	archive libiberty.a
	mkdir -p "$prefix/include/libiberty"
	cp include/demangle.h include/libiberty.h include/ansidecl.h "$prefix/include/libiberty"
}

# The sources are put together by scripts of Tcl, with programs for this system; then it is one file. Nothing is loaded into it.
build_sqlite3() {
	CC=gcc ./configure --disable-tcl --disable-readline --disable-load-extension
	make sqlite3.c
	compile -DSQLITE_OMIT_LOAD_EXTENSION -DSQLITE_THREADSAFE=1 -DSQLITE_DQS=0 sqlite3.c
	archive libsqlite3.a
	cp sqlite3.h "$prefix/include"
}

build_cmocka() {
	compile -Iinclude -DHAVE_INTTYPES_H -DHAVE_MALLOC_H -DHAVE_SIGNAL_H -DHAVE_STRINGS_H -DHAVE_STRUCT_TIMESPEC \
		-DHAVE_GCC_THREAD_LOCAL_STORAGE src/cmocka.c
	archive libcmocka.a
	cp include/cmocka.h "$prefix/include"
}

compile() {
	$host-gcc -O2 -g0 -D__USE_MINGW_ANSI_STDIO=1 -c "$@"
}

archive() {
	rm -f "$prefix/lib/$1"
	$host-ar rcs "$prefix/lib/$1" ./*.o
}

check_tools() {
	local tool

	for tool in $host-gcc $host-ar gcc apt-get dpkg-source cmake make flock tclsh; do
		command -v "$tool" >/dev/null ||
			fail "$tool is missing; on Debian 12: tests/tools/setup.sh windows"
	done
}

# A checksum of what the library is built from: when it changes, the library is built again.
recipe_of() {
	declare -f "build_$1" compile archive | cat - "$top/toolchain.cmake" "$top/libzip.cmake" | sha256sum
}

is_built() {
	[ -f "$prefix/licences/$1" ] && [ "$(cat "$prefix/built/$1" 2>/dev/null)" = "$(recipe_of "$1")" ]
}

# The archive that this system installs from, for example a mirror; without package lists, the first configured one.
find_mirror() {
	local format='$(REPO_URI)'

	{
		apt-get indextargets --format "$format" 'Created-By: Packages' "Codename: $release" 'Origin: Debian'
		apt-get indextargets --format "$format" 'Created-By: Packages'
	} 2>/dev/null | head -n 1
}

prepare_apt() {
	local keyring=/usr/share/keyrings/debian-archive-keyring.gpg mirror

	[ -f "$keyring" ] || fail "no $keyring; on Debian 12: apt-get install debian-archive-keyring"
	mirror=$(find_mirror)
	[ -n "$mirror" ] || fail "apt knows no archive to install from; name one in /etc/apt/sources.list"
	mkdir -p "$prefix/apt/lists/partial" "$prefix/apt/cache/archives/partial"
	echo "deb-src [signed-by=$keyring] $mirror $release main" >"$prefix/apt/sources.list"
	cat >"$prefix/apt/apt.conf" <<-END
		Dir::Etc::SourceList "$prefix/apt/sources.list";
		Dir::Etc::SourceParts "-";
		Dir::State::Lists "$prefix/apt/lists";
		Dir::Cache "$prefix/apt/cache";
		APT::Sandbox::User "";
		Acquire::Retries "3";
	END
	export APT_CONFIG=$prefix/apt/apt.conf
	# Without --error-on a failed download of lists is only a warning.
	apt-get update --error-on=any >"$prefix/log/apt" 2>&1 || cannot_download "$mirror"
}

cannot_download() {
	tail -n 5 "$prefix/log/apt" >&2
	fail "cannot download sources from $1"
}

# Of all packages at once, as apt-get reads its lists each time
download() {
	rm -rf "$prefix/source"
	mkdir -p "$prefix/source"
	prepare_apt
	(cd "$prefix/source" && apt-get source --download-only --only-source "$@") >"$prefix/log/apt" 2>&1 ||
		cannot_download "the archive"
}

build() {
	local library=$1 package=$2 work=$prefix/source/$1 log=$prefix/log/$1 status

	echo "  DEPENDENCY $library"
	dpkg-source --extract "$prefix/source/$package"_*.dsc "$work" >"$log" 2>&1 || fail "cannot unpack $package; see $log"
	# Not in an || or if: there set -e has no effect, and the recipe would continue after an error.
	set +e
	(
		set -e
		cd "$work"
		"build_$library"
	) >>"$log" 2>&1
	status=$?
	set -e
	if [ $status != 0 ]; then
		tail -n 20 "$log" >&2
		fail "cannot build $library; all of it is in $log"
	fi
	touch "$work/notice"
	cat "$work/notice" "$work/debian/copyright" >"$prefix/licences/$library"
	recipe_of "$library" >"$prefix/built/$library"
}

# Side by side, after zlib, which libzip needs: build_all "LIBRARY PACKAGE"...
build_all() {
	local library pid pids=() status=0

	for library in "$@"; do
		# shellcheck disable=SC2086 # two words
		build $library &
		pids+=($!)
		[ "${library% *}" != zlib ] || wait $!
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || status=1
	done
	return $status
}

list_missing() {
	local library package

	while read -r library package; do
		[ -z "$library" ] || is_built "$library" || echo "$library $package"
	done <<<"$table"
}

main() {
	local missing

	[ $# = 1 ] || { echo "usage: dependencies.sh DIR" >&2; exit 2; }
	top=$(realpath "$(dirname "$0")")
	mkdir -p "$1/include" "$1/lib" "$1/licences" "$1/built" "$1/log"
	prefix=$(realpath "$1")
	[ -n "$(list_missing)" ] || return 0

	check_tools
	exec 9>"$prefix/lock"
	flock 9
	mapfile -t missing < <(list_missing)
	[ ${#missing[@]} != 0 ] || return 0
	rm -f "$prefix/failed"
	download "${missing[@]#* }"
	build_all "${missing[@]}"
	rm -rf "$prefix/apt" "$prefix/source"
}

main "$@"
