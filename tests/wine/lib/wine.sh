# The whole program under Wine, with a made-up checkout and stand-ins. Sourced by each test; tests/e2e has the same
# helpers for Linux, and what can be is taken from there. A test ends as those do.
# shellcheck shell=bash
: "${WINDOWS:?}" "${NATIVE:?}"
STANDINS=$TESTDIR/standins
mkdir -p "$STANDINS"
# For "wpr" stagetrace.exe finds wpr.exe; a shell runs the file with exactly that name.
for tool in wpr xperf wpa; do
	ln -s "$WINDOWS/tests/tools/wpt/$tool.exe" "$STANDINS/$tool.exe"
	printf '#!/bin/sh\nunset TMPDIR\nexec wine "%s" "$@"\n' "$STANDINS/$tool.exe" >"$STANDINS/$tool"
	chmod +x "$STANDINS/$tool"
done
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/kill_at.sh"

# A checkout in which programs of Windows build "the compiler": make_checkout RECORDER STAGE2 [STAGE1], which are
# commands. `./x.exe build --stage 2` runs all that a real one does, `./pause.exe SECONDS [EXIT]` nothing. It ends before that if a
# file of TREE_UNTIL, a path of Windows, is there.
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

# Programs of Windows that this test has started, of those whose command line begins so: own_processes PATTERN
own_processes() {
	local file
	while read -r file; do
		# shellcheck disable=SC2254 # a pattern
		case $({ tr '\0' ' ' <"${file%environ}cmdline"; } 2>/dev/null) in
		$1*) grep -o '[0-9]\+' <<<"$file" ;;
		esac
	done < <(grep -lzsxF "STANDIN_STATE=$STANDIN_STATE" /proc/[0-9]*/environ)
}

# Linux does not show the variables that a program of Windows adds for its children.
marked_processes() { checkout_processes; }

# Run a command of stagetrace's and kill it when it is about to rename a file for the Nth time, as it does to write each
# manifest: kill_at N ARGUMENT... 137: it was killed.
kill_at() {
	local at=$1
	shift
	(unset TMPDIR; exec wine "$WINDOWS/tests/tools/kill-at.exe" "$at" "$WINDOWS/stagetrace.exe" "$@")
}

# The image whose heap is traced. Tests share the registry, so only one may use each.
IMAGE=rustc.exe

# This one is traced instead: trace_image IMAGE, in a checkout
trace_image() {
	IMAGE=$1
	printf '[heap]\nimage = %s\n' "$IMAGE" >>test.ini
}

# The registry's setting for heap tracing of an image, as a number, or nothing: tracing_flags IMAGE
tracing_flags() {
	(unset TMPDIR; exec wine reg query "HKLM\\Software\\Microsoft\\Windows NT\\CurrentVersion\\Image File Execution Options\\$1" \
		/v TracingFlags 2>/dev/null) | tr -d '\r' | sed -n 's/^ *TracingFlags *REG_DWORD *0x//p'
}

is_traced() { [ "$(tracing_flags $IMAGE)" = 1 ]; }
is_not_traced() { [ -z "$(tracing_flags $IMAGE)" ]; }

# Nothing is left on the "system": wpt_is_clean, no image traced, no snapshots permitted of what is not there.
heap_is_clean() {
	wpt_is_clean
	is_not_traced || fail "$IMAGE is still traced: $(tracing_flags $IMAGE)"
	! grep -qs -e '^name=.*\.exe$' -e '^\[periodic\]' "$STANDIN_STATE/state" || fail "permitted: $(cat "$STANDIN_STATE/state")"
}
