#!/usr/bin/env bash
# What a recording changes in the registry and of the sampling interval is put back, wherever stagetrace is killed.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/wine/lib/batch.sh"

image='HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Image File Execution Options\stagetrace-test.exe'

# TracingFlags of the image; nothing where there is none.
flags() { wine reg query "$image" /v TracingFlags 2>/dev/null </dev/null | tr -d '\r' | awk '$1 == "TracingFlags" { print $3 }'; }
set_flags() { wine reg add "$image" /v TracingFlags /t REG_DWORD /d "$1" /f >/dev/null 2>&1 </dev/null; }
flags_are() { [ "$(flags)" = "$1" ]; }
key_is_there() { wine reg query "$image" >/dev/null 2>&1 </dev/null; }
interval_is() { wine "$WPR" -profint 2>/dev/null </dev/null | grep -q "= $1 "; }
remove_key() { wine reg delete "$image" /f >/dev/null 2>&1 </dev/null || true; }

no_call_runs() { [ -z "$(wine_processes wpr.exe)" ]; }

start() {
	"$STAGETRACE" record --no-bundle test.ini >out 2>err </dev/null &
	pid=$!
}

forget() {
	rm -rf runs state
	mkdir state
	echo "${1:-}" >state/faults
}

# Nothing is left of a recording, and all settings are what they were: FLAGS
is_clean() {
	flags_are "$1" || fail "$2: TracingFlags is '$(flags)', not '$1'"
	[ -n "$1" ] || ! key_is_there || fail "$2: the key is left"
	interval_is 10000 || fail "$2: the interval is $(wine "$WPR" -profint 2>/dev/null </dev/null)"
	! grep -rqs 'stagetrace-[0-9a-f]\{12\}' state/state* || fail "$2: a recording is left: $(cat state/state*)"
}

recover() {
	"$STAGETRACE" recover runs/*.partial >out 2>err </dev/null || fail "$1: recover: $(cat err)"
	[ -z "$(find runs -maxdepth 1 -name '*.partial')" ] || fail "$1: recover left it"
}

# kill_in STATE FAULT FLAGS: where it is in STATE, which the fault makes last; FLAGS were set before
kill_in() {
	local what="killed in $1 ($2, '$3' before)"
	forget "$2"
	if [ -n "$3" ]; then set_flags "$3"; else remove_key; fi
	start
	wait_for 60 partial_state "$1"
	if [ "$1" = recording ]; then
		flags_are 0x1 || fail "$what: the image is not traced"
		interval_is 5000 || fail "$what: the interval was not set"
	fi
	kill -KILL $pid
	wait $pid || true
	# What stagetrace has called goes on without it, and is no part of the build.
	wait_for 60 no_call_runs
	# By the guard, without anybody's help.
	wait_for 60 flags_are "$3"
	: >state/faults
	recover "$what"
	is_clean "$3" "$what"
}

trap remove_key EXIT
make_wine_checkout 'SLEEP 1000' 'SLEEP 1000'
cat >>test.ini <<-INI
	recorder = wpr
	heap = yes
	cpu-interval = 500us
	stop-timeout = 3s
	[heap]
	image = stagetrace-test.exe
INI

# Whole, with nothing there before and with a value of somebody's.
for before in '' 0x2; do
	forget
	[ -z "$before" ] || set_flags "$before"
	start
	wait_for 60 partial_state recording
	flags_are 0x1 || fail "the image is not traced"
	interval_is 5000 || fail "the interval was not set"
	wait $pid || fail "$(cat err)"
	state_is "$(the_run runs)" "done"
	is_clean "$before" "whole"
	remove_key
done

kill_in stage1 '' ''
kill_in starting wpr:setprofint:sleep=2 ''
kill_in starting wpr:start:sleep=2 0x2
kill_in recording '' ''
kill_in recording '' 0x2
kill_in stopping wpr:stop:sleep=2 ''

# Guard and all are gone, as after a loss of power: recover puts it back.
for before in '' 0x2; do
	forget
	if [ -n "$before" ]; then set_flags "$before"; else remove_key; fi
	start
	wait_for 60 partial_state recording
	guard=$(wine_processes stagetrace-guard)
	[ -n "$guard" ] || fail "there is no guard"
	# shellcheck disable=SC2086 # one or more numbers
	kill -KILL $guard $pid
	wait $pid || true
	flags_are 0x1 || fail "who put it back?"
	recover "without a guard"
	is_clean "$before" "without a guard"
done
