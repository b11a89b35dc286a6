# Heap snapshots by a stand-in for wpr. Sourced after wpt.sh.
# shellcheck shell=bash
export STAGETRACE_REGISTRY=$TESTDIR/registry
mkdir -p "$STAGETRACE_REGISTRY"
RUSTC=$TESTDIR/rust/build/x86_64-unknown-linux-gnu/stage1/bin/rustc.exe
FLAGS="$STAGETRACE_REGISTRY/HKLM%SOFTWARE%Microsoft%Windows NT%CurrentVersion%Image File Execution Options%rustc.exe%TracingFlags"

# A checkout whose "compilers" are shells of that name: make_heap_checkout STAGE2, in which `rustc SECONDS CRATE` is one,
# `rustc_until FILE CRATE` one that ends as soon as that file is in this test's directory, and `rustc_until_snapshot CRATE` one
# that ends when any snapshot has been taken.
make_heap_checkout() {
	make_checkout auto "rustc() { '$RUSTC' -c \"sleep \$1; :\" --crate-name \$2 --out-dir x; }
rustc_until() { '$RUSTC' -c \"until [ -e '$TESTDIR/\$1' ]; do sleep 0.05; done\" --crate-name \$2 --out-dir x; }
rustc_until_snapshot() { '$RUSTC' -c \"until grep -qs -e -singlesnapshot '$STANDIN_LOG'; do sleep 0.2; done\" --crate-name \$1 --out-dir x; }
$1"
	mkdir -p "$(dirname "$RUSTC")"
	cp -f "$(command -v bash)" "$RUSTC"
	cat >>test.ini <<-INI
		stop-timeout = 30s
		[heap]
		crate = rustc_middle
		snapshots = 2
		interval = 1s
	INI
}

# heap EXIT [ARGUMENT...]
heap() {
	local want=$1 rc=0
	shift
	"$STAGETRACE" heap --no-bundle --set record.min-free-disk=64MB "$@" >out 2>err || rc=$?
	[ $rc = "$want" ] || fail "exit code $rc, not $want: $(cat err)"
}

# So many snapshots were taken; each process counts.
snapshots_taken() { [ "$(grep -s -e -singlesnapshot "$STANDIN_LOG" | grep -o '"[0-9]\+"' | wc -l)" -ge "$1" ]; }

# What was done, with the run's own names and the numbers of processes made equal.
heap_calls() {
	calls | grep -v -e '^-help' -e '^-status$' |
		sed -E "s/stagetrace-[0-9a-f]{12}/NAME/; s|[^ ]*/recorder|DIRECTORY|; s/ [0-9]{2,}\b/ PID/g"
}

# Nothing is left on the "system": wpt_is_clean, and no permission of an image or of a process that lives.
heap_is_clean() {
	local pid
	wpt_is_clean
	! grep -qs -e '^name=.*\.exe$' -e '^\[periodic\]' "$STANDIN_STATE/state" || fail "permitted: $(cat "$STANDIN_STATE/state")"
	while read -r pid; do
		# One that nobody has waited for has no memory any more.
		[ "$(cut -d ' ' -f 2 "/proc/$pid/statm" 2>/dev/null || echo 0)" = 0 ] || fail "snapshots of $pid are still permitted"
	done < <(sed -n 's/^pid=//p' "$STANDIN_STATE/state" 2>/dev/null)
	[ ! -e "$FLAGS" ] || fail "the image is still traced: $(cat "$FLAGS")"
}
