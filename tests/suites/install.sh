#!/usr/bin/env bash
# `make install` and `make uninstall`, and the package for Debian: the installed files, that the program runs there, and that
# nothing is left.
set -u
cd "$ROOT" || exit 1
destination=$SCRATCH/install/root
prefix=$destination/opt/stagetrace-test
program=$prefix/bin/stagetrace

# Links in the pages below $1 to files that are not there.
broken_links() {
	local page link

	while IFS=: read -r page link; do
		link=${link#*](} link=${link%)} link=${link%%#*}
		[[ -z $link || $link == *://* || -e ${page%/*}/$link ]] || echo "$page links to $link, which is not there"
	done < <(grep -roE --include='*.md' '\]\([^)]*\)' "$1")
}

# --old-file: the program as it is, for other suites run it at the same time.
run_make() {
	make -s --old-file="$B/stagetrace" "B=$B" DESTDIR="$destination" PREFIX=/opt/stagetrace-test "$1" >"$SCRATCH/install/make.log" 2>&1 ||
		cat "$SCRATCH/install/make.log"
}

# $1 is the name of a test, which passes where the remaining arguments, a command, print nothing and succeed.
expect_silence() {
	local name=$1 wrong status

	shift
	wrong=$("$@" 2>&1)
	status=$?
	if [ "$status" = 0 ] && [ -z "$wrong" ]; then
		echo "PASS $name"
	else
		printf '%s\n' "$wrong" "exit status $status"
		echo "FAIL $name"
	fi
}

expected_files() {
	echo bin/stagetrace
	printf 'share/stagetrace/%s\n' configs/*.ini profiles/* | grep -v demo.ini
	printf 'share/doc/stagetrace/%s\n' README.md CHANGELOG.md CONTRIBUTING.md LICENSE* docs/*.md docs/*.svg docs/*.png examples
	echo share/man/man1/stagetrace.1
	echo share/bash-completion/completions/stagetrace
	echo share/zsh/site-functions/_stagetrace
	echo share/fish/vendor_completions.d/stagetrace.fish
}

compare_files() {
	diff <(expected_files | LC_ALL=C sort) \
		<(cd "$prefix" && find . ! -type d | sed 's|^\./||' | LC_ALL=C sort)
}

runs_there() {
	local man

	"$program" --version | grep -E '^stagetrace [0-9.]+ \(commit [0-9a-z-]+(, [a-z]+ (yes|no))+\)$' >/dev/null || echo "no version"
	"$program" help >/dev/null
	diff "$prefix/share/man/man1/stagetrace.1" <("$program" help --man --prefix /opt/stagetrace-test)
	man=$(sed 's/\\-/-/g' "$prefix/share/man/man1/stagetrace.1")
	[[ $man == */opt/stagetrace-test/share/stagetrace/configs/* && $man != *PREFIX* ]] || echo "the manual page names other directories"
	bash -n "$prefix/share/bash-completion/completions/stagetrace"
	diff "$prefix/share/zsh/site-functions/_stagetrace" <("$program" help --zsh-completion)
	diff "$prefix/share/fish/vendor_completions.d/stagetrace.fish" <("$program" help --fish-completion)
	[ -f "$prefix/share/doc/stagetrace/examples/memory.ini" ] || echo "the examples are not there"
	broken_links "$prefix/share/doc"
}

# Configurations by name and by path, with the checkout named on the command line, as the examples of the help do.
checks_there() {
	local log=check.log configs=$prefix/share/stagetrace/configs config

	cd "$SCRATCH/$job" || return
	mkdir -p rust
	touch rust/x.py
	for config in tags-only.ini "$configs/tags-only.ini"; do
		"$program" check "$config" --set "run.source=$PWD/rust" --set record.min-free-disk=0 --out runs >"$log" 2>&1 || cat "$log"
	done
	"$program" record memory.ini --set "run.source=$PWD/rust" --set record.min-free-disk=0 --dry-run >"$log" 2>&1 || cat "$log"
	"$program" record --help | grep -xF "  $configs" >/dev/null || echo "record --help does not name $configs"
}

# A file of somebody else, in a directory that is shared, stays.
leaves_nothing() {
	local foreign=$prefix/share/man/man1/other.1

	touch "$foreign"
	run_make uninstall
	find "$destination" ! -type d ! -path "$foreign"
	find "$prefix/share" "$prefix/bin" -name 'stagetrace*'
	[ -f "$foreign" ] || echo "uninstall removed a file that install did not bring"
}

# The program as it is: the compiler is the slow part.
build_package() {
	src/packaging/deb.sh "$(sed -n 's/^VERSION := //p' Makefile)" "$SCRATCH/deb" "$B" >"$SCRATCH/deb/log.txt" 2>&1 || cat "$SCRATCH/deb/log.txt"
}

# With a database of its own; what the package depends on is that of this machine.
install_package() {
	mkdir -p "$destination"/var/lib/dpkg/{info,updates}
	touch "$destination/var/lib/dpkg/status"
	dpkg --root="$destination" --force-depends --install "$SCRATCH"/deb/*.deb >"$SCRATCH/deb/dpkg.txt" 2>&1 || cat "$SCRATCH/deb/dpkg.txt"
}

package_is_complete() {
	local man

	"$program" --version >/dev/null
	[ -f "$prefix/share/doc/stagetrace/examples/memory.ini" ] || echo "the examples are not there"
	man=$(zcat "$prefix/share/man/man1/stagetrace.1.gz")
	[[ $man == */usr/share/stagetrace/configs/* ]] || echo "the manual page names other directories"
	broken_links "$prefix/share/doc"
}

list() {
	echo "cpu install"
	if ! command -v dh >/dev/null; then
		echo "SKIP the package for Debian: debhelper is not installed"
	elif [ "$B" != build ] || [ "$(id -u)" != 0 ]; then
		echo "SKIP the package for Debian: it is made of build/, and installed by root"
	else
		echo "cpu deb"
	fi
}

run_package() {
	destination=$SCRATCH/deb/root prefix=$SCRATCH/deb/root/usr program=$SCRATCH/deb/root/usr/bin/stagetrace
	expect_silence "the package is built" build_package
	if grep -q "lintian is not installed" "$SCRATCH/deb/log.txt"; then
		echo "SKIP lintian finds no errors in the package: it is not installed"
	else
		echo "PASS lintian finds no errors in the package"
	fi
	expect_silence "the package is installed" install_package
	expect_silence "the package has documentation, examples and the manual page" package_is_complete
	expect_silence "the program of the package checks its configuration" checks_there
}

run() {
	job=$1
	mkdir -p "$SCRATCH/$job"
	if [ "$job" = deb ]; then
		run_package
		return
	fi
	expect_silence "install succeeds" run_make install
	expect_silence "install brings the program, configurations, profiles and documentation" compare_files
	expect_silence "the installed program runs" runs_there
	expect_silence "the installed program checks an installed configuration" checks_there
	expect_silence "uninstall removes what install has brought, and nothing else" leaves_nothing
	expect_silence "uninstall can be repeated" run_make uninstall
}

"$@"
