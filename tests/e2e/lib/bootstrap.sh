# The small bootstrap (tests/bootstrap), recorded. Sourced after lib.sh; skips the test where it can't be built.
# shellcheck shell=bash
PATH=$PATH:$HOME/.cargo/bin
command -v rustc >/dev/null && command -v cargo >/dev/null || skip "rustc and cargo are not installed"
[ -d /usr/share/cargo/registry ] || skip "no crates are installed (tests/tools/setup.sh demo)"
mkdir rust
(cd "$SRCDIR/tests/bootstrap" && tar c --exclude=./build .) | tar x -C rust

# record_bootstrap NAME RECORDER ARGUMENTS... leaves the path of the run in $run, in which nothing is lost
record_bootstrap() {
	record_once "$@"
	[ "$2" = none ] || [ "$(lost_events)" = 0 ] || fail "events were lost"
}

# record_patiently ATTEMPTS NAME RECORDER ARGUMENTS... the same, once more where a busy machine was too slow for it
record_patiently() {
	local left=$1 name=$2
	shift

	record_once "$@"
	while [ "$(lost_events)" != 0 ]; do
		[ $((left -= 1)) -gt 0 ] || skip "this machine is too busy to record it: $(lost_events) events were lost"
		rm -rf "runs-$name" "rust/build-$name"
		record_once "$@"
	done
}

lost_events() { manifest "$run" .lost.trace_events; }

record_once() {
	local name=$1 recorder=$2
	shift 2
	cat >"$name.ini" <<-INI
		[run]
		name = $name
		source = rust
		output = runs-$name
		[bootstrap]
		rust.debuginfo-level = 1
		rust.frame-pointers = true
		build.build-dir = build-$name
		[stage1]
		command = python3 x.py build --stage 1 -i library
		[stage2]
		command = time -v -o $TESTDIR/$name.time python3 x.py build --stage 2 -i library
		[record]
		recorder = $recorder
		buffers = 64
		min-free-disk = 1GB
	INI
	"$STAGETRACE" record "$name.ini" "$@" >"$name.out" 2>"$name.err" || fail "$(cat "$name.err" "$name.out")"
	cat "$name.out"
	run=$(the_run "runs-$name")
	state_is "$run" "done"
}
