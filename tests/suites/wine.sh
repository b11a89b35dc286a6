#!/usr/bin/env bash
# The program for Windows under Wine: the DLLs that it needs, its unit tests, the tests of the command line
# and whole recordings (tests/wine). The views must print the same as on Linux.
#
# The heap of Debian's wine64 lies at a random place in the gigabyte above the program, in which Wine must map 0x7ffe0000 too: about one
# start in a thousand fails, with the error ERROR_INTERNAL_ERROR or, if Linux started it, without any. So addresses are not
# randomized here.
#
# The prefix is below build/windows and stays. Its server runs as long as the tests, for Wine's services would hold the
# pipes of the test that started them.
set -uo pipefail
cd "$ROOT" || exit 1
read -r personality </proc/self/personality
if [ "$1" = list ] && ((!(0x$personality & 0x40000))); then # ADDR_NO_RANDOMIZE
	if setarch -R true 2>/dev/null; then
		: >"$SCRATCH/wine.fixed"
		exec setarch -R "$0" "$@"
	fi
	echo "NOTE wine: addresses cannot be fixed here, so one start of a program in a thousand may fail"
fi
windows=build/windows
program=$windows/stagetrace.exe

# DLLs that every Windows has had since 10, and that load quickly: see src/platform/windows/library.h.
own='ADVAPI32|KERNEL32|msvcrt|ntdll'

skip() {
	echo "SKIP wine: $*"
	exit 0
}

# The list has the reason why there is no program.
build() {
	! command -v x86_64-w64-mingw32-gcc >/dev/null || $BUILD windows-tests || rm -f "$program"
}

check_imports() {
	local name="wine/stagetrace.exe needs Windows' own DLLs only" imports foreign

	imports=$(x86_64-w64-mingw32-objdump -p "$program" | sed -n 's/^\tDLL Name: //p')
	foreign=$(grep -viE "^($own)\.dll$" <<<"$imports")
	if [ -n "$imports" ] && [ -z "$foreign" ]; then
		echo "PASS $name"
	else
		printf 'it imports:\n%s\n' "${foreign:-nothing}"
		echo "FAIL $name"
	fi
}

# A new prefix says Windows 7, and shows a debugger where a program crashes: its exit code would be 0. Half of what each start of a
# program asks the server is which of all time zones in the registry the system has: they are removed.
make_prefix() {
	local version='HKLM\Software\Microsoft\Windows NT\CurrentVersion'

	wineboot -i && wine winecfg -v win10 && wine reg add "$version\AeDebug" /v Debugger /d '' /f &&
		wine reg delete "$version\Time Zones" /f &&
		touch "$WINEPREFIX/ready"
}

use_wine() {
	export WINEPREFIX=$ROOT/$windows/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' LC_ALL=C.UTF-8
	unset DISPLAY WAYLAND_DISPLAY TMPDIR
}

# The pid of the server of our prefix.
find_server() {
	local exe

	for exe in /proc/[0-9]*/exe; do
		if [[ $(readlink "$exe") == */wineserver* ]] && grep -qzsxF "WINEPREFIX=$WINEPREFIX" "${exe%exe}environ"; then
			basename "${exe%/exe}"
		fi
	done
}

# After a server that ended, programs start another one, which does not know those that run. Said once, by the next job to end.
check_server() {
	local server

	if read -r server 2>/dev/null <"$SCRATCH/wine.server" && [ ! -e "/proc/$server/exe" ] && rm "$SCRATCH/wine.server" 2>/dev/null; then
		echo "FAIL wine: its server ended before $(date +%T), so other tests may fail"
	fi
}

# The lock is held as long as tests/run.sh lives, and the server ended with it.
start_wine() {
	mkdir -p "$WINEPREFIX"
	flock "$WINEPREFIX/lock" sh -c ": >'$SCRATCH/wine.locked'; exec tail -f /dev/null --pid=$RUN_PID" </dev/null >/dev/null 2>&1 &
	until [ -e "$SCRATCH/wine.locked" ]; do
		kill -0 $! || return 1
		sleep 0.05
	done
	cat >"$SCRATCH/wine.end" <<-END
		#!/bin/sh
		WINEPREFIX='$WINEPREFIX' wineserver -k
		WINEPREFIX='$WINEPREFIX' wineserver -w
		# One whose parent was killed while it started may never have reached the server: it would hold our output for ever.
		grep -lzsxF 'WINEPREFIX=$WINEPREFIX' /proc/[0-9]*/environ | grep -o '[0-9]\+' | xargs -r kill -9
	END
	chmod +x "$SCRATCH/wine.end"
	{
		wineserver -p
		find_server | head -n 1 >"$SCRATCH/wine.server"
		[ -e "$WINEPREFIX/ready" ] || make_prefix
		# The services start with the first program, and go on.
		wine "$program" --version
	} >"$SCRATCH/wine.log" 2>&1 </dev/null
}

# Where there is a TMPDIR, Wine has its server there, and each test has its own.
write_script() {
	printf '#!/bin/sh\nunset TMPDIR\nexec wine %s "$@"\n' "$2" >"$SCRATCH/$1"
	chmod +x "$SCRATCH/$1"
}

# A suite's own command, with the programs for Windows: of_suite SUITE list|run [NAME]
of_suite() {
	local fix=()

	[ ! -e "$SCRATCH/wine.fixed" ] || fix=(setarch -R)
	"${fix[@]}" env SCRATCH="$SCRATCH/wine" B=$windows WINE="$SCRATCH/run" PROGRAM="$SCRATCH/stagetrace" DIRECTORY=wine \
		WINDOWS="$ROOT/$windows" NATIVE="$ROOT/$B/stagetrace" "tests/suites/$1.sh" "${@:2}"
}

list() {
	local tool suite

	for tool in x86_64-w64-mingw32-gcc x86_64-w64-mingw32-objdump; do
		command -v $tool >/dev/null || skip "no $tool (gcc-mingw-w64-x86-64), so the program was not built"
	done
	if [ ! -f "$program" ]; then
		if grep -q '^cannot download' $windows/dependencies/failed 2>/dev/null; then
			skip "the program was not built: $(cat $windows/dependencies/failed)"
		fi
		echo "FAIL wine: no $program; 'make windows-tests' says why"
		exit 0
	fi
	check_imports
	for tool in wine wineserver flock; do
		command -v $tool >/dev/null || skip "no $tool"
	done
	if ! start_wine; then
		cat "$SCRATCH/wine.log"
		echo "FAIL wine: the program does not start"
		exit 0
	fi
	mkdir -p "$SCRATCH/wine"
	write_script run ''
	write_script stagetrace "'$(realpath "$program")'"
	for suite in e2e unit cli; do
		# A program under Wine waits for the server in turns: all of them are of the kind `waits`.
		of_suite $suite list | sed -E "s/^(cpu|waits) /waits $suite:/; s/^alone /&$suite:/; s/^(PASS|FAIL|SKIP) ((cli|wine)\/)?/\1 wine\//" ||
			echo "FAIL wine: cannot list the tests of $suite"
	done
}

run() {
	local status

	of_suite "${1%%:*}" run "${1#*:}" | sed -E 's/^(PASS|FAIL|SKIP) ((cli|wine)\/)?/\1 wine\//'
	status=$?
	check_server
	return $status
}

use_wine
"$@"
