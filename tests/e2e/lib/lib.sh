# Helpers of the end-to-end tests; sourced by each. A test ends 0 (passed), 77 (skipped: the last line it
# printed says why) or else (failed).
# shellcheck shell=bash
set -euo pipefail
: "${STAGETRACE:?}" "${TESTDIR:?}" "${SRCDIR:?}"
cd "$TESTDIR"

skip() { echo "$*"; exit 77; }

# What is in TESTDIR is kept when the test fails (tests/suites/e2e.sh); a run that tests share is elsewhere.
fail() {
	echo "FAILED: $*" >&2
	[[ ${run:-} != /* || $run == "$TESTDIR"/* ]] || cp -a "$run" shared-run
	exit 1
}

# Has the input a line that grep finds? It is read to its end: `grep -q` leaves at the first such line, and who then
# writes on into the pipe is ended by SIGPIPE, which pipefail takes for a failure.
has() { [ "$(grep -c "$@")" -gt 0 ]; }

# A checkout whose x.py runs shell text: make_checkout PROFILER STAGE2 [STAGE1]
make_checkout() {
	mkdir -p rust
	printf '%s' "$2" >rust/stage2.sh
	printf '%s' "${3:-true}" >rust/stage1.sh
	cat >rust/x.py <<-'PY'
		import os, sys
		stage = sys.argv[sys.argv.index("--stage") + 1]
		sys.exit(os.spawnlp(os.P_WAIT, "sh", "sh", "stage%s.sh" % stage))
	PY
	cat >test.ini <<-INI
		[run]
		name = test
		source = rust
		output = runs
		[stage1]
		command = python3 x.py build --stage 1
		[stage2]
		command = python3 x.py build --stage 2
		[record]
		recorder = $1
		buffers = 16
		min-free-disk = 64MB
	INI
}

# The one run in a directory; fails where there is none or more.
the_run() {
	local found
	found=$(find "$1" -mindepth 1 -maxdepth 1 -type d)
	[ "$(printf '%s\n' "$found" | grep -c .)" = 1 ] || fail "not one run: $found"
	printf '%s\n' "$found"
}

# One member of a run's manifest: manifest RUN .state. It fails where there is none.
manifest() { "$(dirname "${NATIVE:-$STAGETRACE}")/tests/tools/json-member" "$1/manifest.json" "$2"; }

state_is() {
	[ "$(manifest "$1" .state)" = "$2" ] || fail "state is $(manifest "$1" .state), not $2: $(manifest "$1" .reason)"
}

# Living processes of this test's builds: they carry a run's cookie, and this test's directory in their environment.
marked_processes() {
	grep -lzsxF "TESTDIR=$TESTDIR" /proc/[0-9]*/environ | xargs -r grep -lzs '^STAGETRACE_RUN=' | grep -o '[0-9]\+'
}

# Living processes that work below the checkout, whatever their environment.
checkout_processes() {
	find /proc -maxdepth 2 -path '/proc/[0-9]*/cwd' -lname "$TESTDIR/*rust*" 2>/dev/null | grep -o '[0-9]\+'
}

# A program of the build runs, so it is recorded: build_runs NAME
build_runs() {
	local pid
	for pid in $(marked_processes); do
		[[ $(tr '\0' ' ' <"/proc/$pid/cmdline") != *"$1"* ]] || return 0
	done
	return 1
} 2>/dev/null

# Nothing of the build is left, at the latest after SECONDS (default 10).
nothing_left() {
	local end=$((SECONDS + ${1:-10}))
	while [ -n "$(marked_processes)" ]; do
		[ $SECONDS -lt $end ] || fail "left running: $(marked_processes | xargs ps -o pid,args -p)"
		sleep 0.1
	done
}

# Wait until a command succeeds, at most five minutes: wait_for COMMAND... On a machine so busy that there were few looks in
# that time, or whose clock was set, longer.
wait_for() {
	local end=$((SECONDS + 300)) looks=900
	until "$@" >/dev/null 2>&1; do
		looks=$((looks - 1))
		[ $SECONDS -lt $end ] || [ $looks -gt 0 ] ||
			fail "in vain waited for: $*$([ ! -s err ] || printf '; err says: %s' "$(cat err)"); $(ls -d runs/* 2>&1)"
		sleep 0.05
	done
}

# The guard of a recording, by its name, which it has from when it first runs: guard_of PID
guard_of() {
	wait_for pgrep -x -P "$1" stagetrace-grd
	pgrep -x -P "$1" stagetrace-grd
}

# End a job of this shell and the program that it waits for, as SIGKILL does: kill_job PID. A stopped one starts no other.
kill_job() {
	kill -STOP "$1" || return 0
	# shellcheck disable=SC2046 # ids
	kill -KILL "$1" $(pgrep -P "$1")
} 2>/dev/null

# The manifest of the run that is in progress has this state.
partial_state() { grep -qx "  \"state\": \"$1\"," runs/*.partial/manifest.json; }

processes_are_whole() {
	python3 - "$1/processes.jsonl" <<-'PY'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		assert rows, "no processes"
		for row in rows:
		    assert row["role"] and row["pid"] > 0, row
		    assert row["role"] != "other" or row["role_reason"], row
	PY
}

perf_works() {
	command -v perf >/dev/null || skip "perf is not installed"
	perf record -q -o probe.data -e syscalls:sys_enter_mmap -- true >/dev/null 2>&1 ||
		skip "perf may not record tracepoints here"
}
