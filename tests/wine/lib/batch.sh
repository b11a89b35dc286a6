# Recordings of builds that are batch files. Sourced after tests/e2e/lib/lib.sh.
# shellcheck shell=bash
: "${WINDOWS:?}"
WPR=$WINDOWS/tests/tools/wpt/wpr.exe
SLEEPER=$WINDOWS/tests/unit/windows/test_build_tree.exe
[ -f "$WPR" ] || skip "the stand-ins are not built: make windows-tests"
STAGETRACE_WPR=Z:${WPR//\//\\}
STANDIN_STATE=Z:${TESTDIR//\//\\}\\state
STANDIN_LOG=Z:${TESTDIR//\//\\}\\calls
export STAGETRACE_WPR STANDIN_STATE STANDIN_LOG
mkdir -p state

# A checkout whose stages are batch files, in which "SLEEP MS" waits: make_wine_checkout STAGE2 STAGE1
make_wine_checkout() {
	local sleep="\"Z:${SLEEPER//\//\\}\" --child stay"
	mkdir -p rust
	: >rust/x.py
	printf '@%s\r\n@exit /b 0\r\n' "${1//SLEEP/$sleep}" >rust/stage2.cmd
	printf '@%s\r\n@exit /b 0\r\n' "${2//SLEEP/$sleep}" >rust/stage1.cmd
	cat >test.ini <<-INI
		[run]
		name = test
		source = rust
		output = runs
		[stage1]
		command = cmd /c stage1.cmd
		[stage2]
		command = cmd /c stage2.cmd
		[record]
		buffers = 16
		min-free-disk = 64MB
	INI
}

# The numbers, on Linux, of this test's processes with a word in their command line.
wine_processes() {
	local dir
	for dir in /proc/[0-9]*; do
		case $(tr '\0' ' ' <"$dir/cmdline" 2>/dev/null) in
		*"$1"*)
			if tr '\0' '\n' <"$dir/environ" 2>/dev/null | grep -qxF "STANDIN_STATE=$STANDIN_STATE"; then
				echo "${dir#/proc/}"
			fi
			;;
		esac
	done
}
