# The whole program under Wine, beside a made-up checkout and stand-ins. Sourced by each test; tests/e2e has the same
# helpers for Linux, and what can be is taken from there. A test ends as those do.
# shellcheck shell=bash
: "${WINDOWS:?}" "${NATIVE:?}"
STANDINS=$TESTDIR/standins
mkdir -p "$STANDINS"
# stagetrace.exe finds wpr.exe where it is told "wpr", a shell runs what is named so.
for tool in wpr xperf wpa; do
	ln -s "$WINDOWS/tests/tools/wpt/$tool.exe" "$STANDINS/$tool.exe"
	printf '#!/bin/sh\nunset TMPDIR\nexec wine "%s" "$@"\n' "$STANDINS/$tool.exe" >"$STANDINS/$tool"
	chmod +x "$STANDINS/$tool"
done
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"

# A checkout in which programs of Windows build "the compiler": make_checkout RECORDER STAGE2 [STAGE1], which are
# commands. `./x.exe build --stage 2` runs all that a real one does, `./pause.exe SECONDS [EXIT]` nothing.
make_checkout() {
	local tree=$WINDOWS/tests/tools/rust-tree.exe build=rust/build/x86_64-pc-windows-msvc tools=VC\ Tools/bin/Hostx64/x64 file
	mkdir -p rust/build/bootstrap/debug rust/compiler "$build/stage0/bin" "$build/stage1/bin" "$tools"
	: >rust/x.py
	for file in rust/x rust/pause rust/build/bootstrap/debug/{bootstrap,rustc} "$build"/stage0/bin/{cargo,rustc} \
		"$build/stage1/bin/rustc" "$tools"/{cl,lib,link,mspdbsrv,rust-lld}; do
		cp "$tree" "$file.exe"
	done
	cp "$tree" "$build/stage1/bin/rustc_driver-d77cdc2b7c93a93b.dll"
	: >"$build/stage1/bin/rustc_driver-d77cdc2b7c93a93b.pdb"
	cat >test.ini <<-INI
		[run]
		name = test
		source = rust
		output = runs
		[stage1]
		command = ${3:-./pause.exe 0}
		[stage2]
		command = $2
		[record]
		recorder = $1
		buffers = 16
		min-free-disk = 64MB
	INI
}

# Programs of Windows that work below this test's folder and are the build's.
marked_processes() {
	local dir program
	for dir in /proc/[0-9]*; do
		case $(readlink "$dir/cwd" 2>/dev/null) in
		"$TESTDIR"*)
			program=$(tr '\0' '\n' <"$dir/cmdline" 2>/dev/null | head -n 1)
			case ${program##*[/\\]} in
			stagetrace.exe | wpr.* | xperf.* | conhost.exe) ;;
			*.exe) echo "${dir#/proc/}" ;;
			esac
			;;
		esac
	done
}

# Run a command of stagetrace's and kill it when it is about to rename a file for the Nth time, as it does to write each
# manifest: kill_at N ARGUMENT... 137: it was killed.
kill_at() {
	local at=$1
	shift
	(unset TMPDIR; exec wine "$WINDOWS/tests/tools/kill-at.exe" "$at" "$WINDOWS/stagetrace.exe" "$@")
}

# The number that Windows knows a process by, of its first word: windows_pid NAME
windows_pid() {
	python3 - "$(the_run runs)/processes.jsonl" "$1" <<-'PY'
		import json, sys
		for line in open(sys.argv[1]):
		    row = json.loads(line)
		    if row["image"] == sys.argv[2]:
		        print(row["pid"])
	PY
}
