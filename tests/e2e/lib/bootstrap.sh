# The small bootstrap (tests/bootstrap), recorded. Sourced after lib.sh; skips the test if it cannot be built.
#
# All tests share its sources and a copy each of one finished stage 1: cargo knows sources by their path.
# shellcheck shell=bash
PATH=$PATH:$HOME/.cargo/bin
command -v rustc >/dev/null && command -v cargo >/dev/null || skip "rustc and cargo are not installed"
[ -d /usr/share/cargo/registry ] || skip "no crates are installed (tests/tools/setup.sh demo)"
BOOTSTRAP=$SCRATCH/bootstrap

# Copy the sources and build stage 1, once; the others wait for it.
prepare_bootstrap() {
	mkdir -p "$BOOTSTRAP" &&
		(cd "$SRCDIR/tests/bootstrap" && tar c --exclude=./build .) | tar x -C "$BOOTSTRAP" &&
		(cd "$BOOTSTRAP" && python3 x.py build --stage 1 -i library --set build.build-dir=build-first \
			--set rust.debuginfo-level=1 --set rust.frame-pointers=true --set demo.size=small) &&
		mv "$BOOTSTRAP/build-first" "$BOOTSTRAP/build-finished"
}

# What several tests need is made by the first, and the others wait for it: lock NAME, unlock
lock() {
	exec 6>>"$SCRATCH/$1.lock"
	flock 6
}
unlock() { exec 6>&-; }

lock bootstrap
[ -d "$BOOTSTRAP/build-finished" ] || prepare_bootstrap >stage1.log 2>&1 ||
	fail "stage 1 of the small bootstrap: $(tail -n 20 stage1.log)"
unlock
# In the environment of every recorded program: one that no run keeps, and one that it does.
export BOOTSTRAP_TOKEN=a-value-that-nobody-else-may-see CI=1
builder=$(basename "$0" .sh) # whose the directories of builds are
own_builds=$BOOTSTRAP/build-$builder # not those of shared_bootstrap, which others read
trap 'rm -rf "$own_builds"-*' EXIT

# record_bootstrap NAME RECORDER ARGUMENTS... leaves the path of the run in $run, in which nothing is lost
record_bootstrap() {
	rm -rf "$BOOTSTRAP/build-$builder-$1"
	cp -a "$BOOTSTRAP/build-finished" "$BOOTSTRAP/build-$builder-$1"
	record_whole "$@"
}

# The same, stage 1 and all, for a build that can't share one.
record_whole() {
	local name=$1 recorder=$2
	shift 2
	cat >"$name.ini" <<-INI
		[run]
		name = $name
		source = $BOOTSTRAP
		output = runs-$name
		[bootstrap]
		rust.debuginfo-level = 1
		rust.frame-pointers = true
		build.build-dir = build-$builder-$name
		[stage1]
		command = python3 x.py build --stage 1 -i library
		[stage2]
		command = time -v -o $TESTDIR/$name.time python3 x.py build --stage 2 -i library
		[record]
		recorder = $recorder
		buffers = 256
		min-free-disk = 1GB
	INI
	# The lock is not the recording's: what is left of one must not keep it.
	"$STAGETRACE" record "$name.ini" "$@" >"$name.out" 2>"$name.err" 6>&- || fail "$(cat "$name.err" "$name.out")"
	cat "$name.out"
	run=$(the_run "runs-$name")
	state_is "$run" "done"
	[ "$recorder" = none ] || [ "$(manifest "$run" .lost.trace_events)" = 0 ] ||
		fail "$(manifest "$run" .lost.trace_events) events were lost"
}

# The small bootstrap of a size that tests can wait for, recorded by perf once for all tests that read it:
# shared_bootstrap MEMORY_STACKS leaves the path of the run in $run; what time(1) said of the build is in $run.time. That of `fp`
# has directories in the new numbering, and stage 1.
shared_bootstrap() {
	local shared=$BOOTSTRAP/run-$1 builder=shared record=record_bootstrap numbering=old cpu=fp touched=sampled
	lock "bootstrap-$1"
	if [ ! -d "$shared" ]; then
		[ "$1" != fp ] || record=record_whole numbering=new touched=no
		[ "$1" != sampled ] || cpu=sampled
		$record "$1" perf --no-bundle --set record.keep-stack-copies=yes --set "record.memory-stacks=$1" --set record.cpu-stacks=$cpu \
			--set record.touched=$touched --set bootstrap.demo.size=small --set bootstrap.build.numbering=$numbering
		mv "$run" "$shared"
		mv "$1.time" "$shared.time"
	fi
	unlock
	run=$shared
}
