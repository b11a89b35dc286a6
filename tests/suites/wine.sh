#!/usr/bin/env bash
# The program for Windows: what it asks of Windows, its unit tests, the tests of the command line and whole recordings
# (tests/wine), under Wine. The views must print what they print on Linux.
#
# The prefix is below build/windows and stays. Its server is kept while the suite runs, for Wine's services would hold
# the pipes of the test that started them, and ended with it.
set -u
cd "$ROOT" || exit 1
windows=build/windows
program=$windows/stagetrace.exe

# DLLs that every Windows has had since 10.
own='ADVAPI32|KERNEL32|msvcrt|bcrypt|SHELL32|USER32|ole32|PSAPI|ntdll|SHLWAPI'

skip() {
	echo "SKIP wine: $*"
	exit 0
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

# A new prefix says Windows 7, and shows a debugger where a program crashes: its exit code would be 0.
make_prefix() {
	wineboot -i && wine winecfg -v win10 &&
		wine reg add 'HKLM\Software\Microsoft\Windows NT\CurrentVersion\AeDebug' /v Debugger /d '' /f &&
		touch "$WINEPREFIX/ready"
}

start_wine() {
	export WINEPREFIX=$ROOT/$windows/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' LC_ALL=C.UTF-8
	unset DISPLAY WAYLAND_DISPLAY TMPDIR
	mkdir -p "$WINEPREFIX"
	exec 9>"$WINEPREFIX/lock"
	flock 9
	trap 'wineserver -k 9>&-; wineserver -w 9>&-' EXIT
	trap 'exit 130' INT TERM
	{
		wineserver -p
		[ -e "$WINEPREFIX/ready" ] || make_prefix
	} >"$SCRATCH/wine.log" 2>&1 </dev/null 9>&-
	# The services start with the first program, and go on.
	wine "$program" --version >>"$SCRATCH/wine.log" 2>&1 </dev/null 9>&-
}

# Where there is a TMPDIR, Wine has its server there, and each test has its own.
write_script() {
	printf '#!/bin/sh\nunset TMPDIR\nexec wine %s "$@"\n' "$2" >"$SCRATCH/$1"
	chmod +x "$SCRATCH/$1"
}

run_suite() {
	env SCRATCH="$SCRATCH/wine" B=$windows WINE="$SCRATCH/run" PROGRAM="$SCRATCH/stagetrace" FOLDER=wine \
		WINDOWS="$ROOT/$windows" NATIVE="$ROOT/$B/stagetrace" \
		"tests/suites/$1.sh" 9>&- | sed -E 's/^(PASS|FAIL|SKIP) ((cli|wine)\/)?/\1 wine\//'
}

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
run_suite unit
run_suite cli
run_suite e2e
