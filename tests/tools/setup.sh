#!/bin/bash
# Install what is missing on Debian: setup.sh build|deb|windows|test|demo...
#
# Silent, quick and without network if nothing is missing. On other systems it names what is needed, and continues
# if the commands exist.
set -euo pipefail

# For what, package, and the command that will do where the package is not installed. `test` includes
# what `demo` and `windows` need.
table='
build gcc               gcc
build make              make
build libc6-dev         -
build pkg-config        pkg-config
build libinih-dev       -
build libjansson-dev    -
build libxml2-dev       -
build libzip-dev        -
build libsqlite3-dev    -
build zlib1g-dev        -
build nettle-dev        -
build libelf-dev        -
build libdw-dev         -
build libzstd-dev       -
build zlib1g-dev        -
build libiberty-dev     -
deb   build-essential   -
deb   debhelper         dh
deb   dpkg-dev          dpkg-buildpackage
deb   lintian           lintian
windows gcc-mingw-w64-x86-64   x86_64-w64-mingw32-gcc
windows make                   make
windows cmake                  cmake
windows dpkg-dev               dpkg-source
windows debian-archive-keyring -
windows util-linux             flock
windows zip                    zip
windows tcl                    tclsh
windows gcc                    gcc
windows libc6-dev              -
demo  linux-perf        perf
demo  python3           python3
demo  git               git
demo  gcc               gcc
demo  libc6-dev         -
demo  binutils          ld
demo  util-linux        setsid
demo  librust-bitflags-dev       -
demo  librust-cc-dev             -
demo  librust-cfg-if-dev         -
demo  librust-hashbrown-dev      -
demo  librust-itoa-dev           -
demo  librust-libc-dev           -
demo  librust-log-dev            -
demo  librust-memchr-dev         -
demo  librust-miniz-oxide-dev    -
demo  librust-proc-macro2-dev    -
demo  librust-quote-dev          -
demo  librust-rustc-demangle-dev -
demo  librust-ryu-dev            -
demo  librust-serde-dev          -
demo  librust-serde-derive-dev   -
demo  librust-serde-json-dev     -
demo  librust-smallvec-dev       -
demo  librust-syn-dev            -
demo  librust-thiserror-dev      -
test  libcmocka-dev     -
test  libdebuginfod1    -
test  libmspack0        -
test  libpq5            -
test  postgresql        -
test  sqlite3           sqlite3
test  debhelper         dh
test  lintian           lintian
test  wine              wine
test  wine64            -
test  clang             clang
test  libclang-rt-14-dev -
test  lld               ld.lld
test  libjemalloc2      -
test  unzip             unzip
test  zip               zip
test  zstd              zstd
test  zsh               zsh
test  fish              fish
test  procps            ps
test  time              -
test  shellcheck        shellcheck
test  universal-ctags   ctags
test  groff             groff
test  mandoc            mandoc
test  libxml2-utils     xmllint
test  chromium          chromium
test  firefox-esr       firefox-esr
test  jq                jq
test  python3-prometheus-client -
test  nodejs            node
test  npm               npm
'

fail() {
	echo "setup.sh: $*" >&2
	exit 1
}

have() {
	command -v "$1" >/dev/null 2>&1
}

# Table rows for what is asked: package and command.
wanted() {
	local purposes=" $* "

	[[ $purposes != *" test "* ]] || purposes+="demo windows "
	while read -r purpose package command; do
		[[ -z $purpose || $purposes != *" $purpose "* ]] || echo "$package $command"
	done <<<"$table" | sort -u
	# x.py takes rustup's compiler too; a packaged one would be a gigabyte for nothing.
	if [[ $purposes == *" demo "* ]]; then
		have_rust rustc && have_rust cargo || printf '%s\n' 'rustc rustc' 'cargo cargo'
	fi
}

have_rust() {
	have "$1" || [[ -x ${HOME:-/nonexistent}/.cargo/bin/$1 ]]
}

# Those packages of the rows on stdin that are not there.
missing() {
	local rows installed

	rows=$(cat)
	# Fails when it does not know one of them: the others are still listed.
	# shellcheck disable=SC2016 # dpkg-query expands it
	installed=$(awk '{ print $1 }' <<<"$rows" |
		xargs dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' 2>/dev/null || true)
	while read -r package command; do
		[[ -n $package ]] || continue
		grep -qx "installed $package" <<<"$installed" && continue
		[[ $command == - ]] || ! have "$command" || continue
		echo "$package"
	done <<<"$rows"
}

as_root() {
	if [[ $(id -u) == 0 ]]; then
		env DEBIAN_FRONTEND=noninteractive "$@"
	else
		sudo env DEBIAN_FRONTEND=noninteractive "$@"
	fi
}

install_packages() {
	local install=(apt-get install --yes --no-install-recommends "$@") log

	if [[ $(id -u) != 0 ]] && ! have sudo; then
		echo "these packages are missing; as root:" >&2
		echo "  ${install[*]}" >&2
		exit 1
	fi
	echo "installing: $*"
	log=$(mktemp)
	# The lists of packages may never have been fetched (the trial finds out without root), or be so
	# old that what they name is gone.
	if ! { apt-get --simulate "${install[@]:1}" && as_root "${install[@]}"; } >"$log" 2>&1 &&
		! { as_root apt-get update && as_root "${install[@]}"; } >>"$log" 2>&1; then
		tail -n 20 "$log" >&2
		rm -f "$log"
		fail "cannot install; by hand: apt-get update && ${install[*]}"
	fi
	rm -f "$log"
}

# perf finds tracepoints there, and only there: minimal systems and containers have it unmounted.
mount_tracefs() {
	local dir=/sys/kernel/tracing

	[[ $(id -u) == 0 && -d $dir && -z $(ls -A "$dir") ]] || return 0
	if mount -t tracefs nodev "$dir" 2>/dev/null; then
		echo "mounted tracefs at $dir"
	else
		echo "cannot mount tracefs at $dir: no tracepoints, so no memory events" >&2
	fi
}

main() {
	local rows packages absent=()

	[[ $# -gt 0 ]] || fail "for what? build, deb, windows, test or demo"
	for purpose in "$@"; do
		[[ " build deb windows test demo " == *" $purpose "* ]] || fail "unknown purpose '$purpose'"
	done
	rows=$(wanted "$@")

	if ! have dpkg-query || ! have apt-get; then
		echo "no Debian system: these packages, or what stands for them, have to be there:"
		awk '{ print $1 }' <<<"$rows" | paste -sd ' ' | fold -s -w 96 | sed 's/^/  /'
		while read -r package command; do
			[[ $command == - ]] || have "$command" || have_rust "$command" || absent+=("$command")
		done <<<"$rows"
		[[ ${#absent[@]} == 0 ]] || fail "commands not found: ${absent[*]}"
	else
		packages=$(missing <<<"$rows")
		# shellcheck disable=SC2086 # one package a word
		[[ -z $packages ]] || install_packages $packages
	fi

	[[ " $* " != *" test "* && " $* " != *" demo "* ]] || mount_tracefs
	[[ " $* " != *" test "* ]] || tests/tools/consumers.sh
}

main "$@"
