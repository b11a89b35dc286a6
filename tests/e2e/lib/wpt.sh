# Recordings by stand-ins for wpr and xperf. Sourced after lib.sh.
# shellcheck shell=bash
if [ -z "${STANDINS:-}" ]; then
	# By paths of this test's own: it looks for processes that were started by them.
	STANDINS=$TESTDIR/standins
	mkdir -p "$STANDINS"
	ln -sf "$(dirname "$STAGETRACE")"/tests/tools/wpt/{wpr,xperf,wpa} "$STANDINS"
fi
[ -x "$STANDINS/wpr" ] && [ -x "$STANDINS/xperf" ] || skip "the stand-ins are not built: make tests"
export STAGETRACE_WPR=$STANDINS/wpr STAGETRACE_XPERF=$STANDINS/xperf
export STANDIN_STATE=$TESTDIR/state STANDIN_LOG=$TESTDIR/calls
mkdir -p "$STANDIN_STATE"

# The checkout and its configuration, with what only these profilers have: make_wpt_checkout PROFILER STAGE2
make_wpt_checkout() {
	make_checkout "$1" "$2"
	cat >>test.ini <<-INI
		cpu-interval = 500us
		stop-timeout = 30s
	INI
}

# For a test of a call that does not end; on a busy machine any other may take some seconds.
soon_gives_up() { sed -i 's/^stop-timeout = .*/stop-timeout = 3s/' test.ini; }

# A fault of the stand-ins from now on, or none: fault [FAULT]
fault() { printf '%s\n' "${1:-}" >"$STANDIN_STATE/faults"; }

# Start afresh.
forget() {
	rm -rf runs out err "$STANDIN_STATE" "$STANDIN_LOG"
	mkdir -p "$STANDIN_STATE"
}

# Nothing is left on the "system": no recording of ours, the interval as it was, no files.
wpt_is_clean() {
	"$STAGETRACE_WPR" -profint | has '= 10000 ' || fail "the interval is $("$STAGETRACE_WPR" -profint | tail -n 1)"
	! grep -rqs 'stagetrace-[0-9a-f]\{12\}' "$STANDIN_STATE"/state* || fail "a recording is left: $(cat "$STANDIN_STATE"/state*)"
	[ -z "$(find runs temp -path '*recorder/*' -o -name '*stagetrace-*' 2>/dev/null)" ] || fail "files are left: $(find runs temp)"
}

# record_wpt EXIT [ARGUMENT...]
record_wpt() {
	local want=$1 rc=0
	shift
	"$STAGETRACE" record --no-bundle test.ini "$@" >out 2>err || rc=$?
	[ $rc = "$want" ] || fail "exit code $rc, not $want: $(cat err)"
}

# Recover all there is, twice: the second time has nothing to do. What the first said is in `recovered`, and
# how far the run had come in $state.
recover_well() {
	local dir
	for dir in runs/*.partial; do
		[ -e "$dir/manifest.json" ] || continue
		state=$(manifest "$dir" .state)
		"$STAGETRACE" recover "$dir" >out 2>recovered || fail "recover after '$state': $(cat recovered)"
		[ ! -e "$dir" ] || fail "recover after '$state' left $dir"
		"$STAGETRACE" recover "${dir%.partial}" >out 2>err || fail "recover again: $(cat err)"
	done
}

recover_wpt() { "$STAGETRACE" recover runs/*.partial >out 2>err || fail "recover: $(cat err)"; }

# What sleeps by a fault ends now.
let_go() { : >"$STANDIN_STATE/go"; }

# Recover while a call of wpr's sleeps, which ends when that is said: recover_waits VERB COMMAND, which ends in recover_well
recover_waits() {
	local pid
	rm -f recovered
	"$2" &
	pid=$!
	wait_for grep -q "wpr -$1 of the interrupted recording still runs" recovered
	let_go
	wait $pid || exit 1
}

said() { grep -qF -- "$1" err || fail "nothing about '$1': $(cat err)"; }

# The arguments of each call, a line each.
calls() {
	python3 - "$STANDIN_LOG" "$@" <<-'PY'
		import json, sys
		for line in open(sys.argv[1]):
		    call = json.loads(line)
		    if len(sys.argv) < 3 or call["argv"][:1] == [sys.argv[2]]:
		        print(" ".join(call["argv"]))
	PY
}
