#!/usr/bin/env bash
# The registry and the sampling interval are restored, wherever stagetrace is killed.
. "$SRCDIR/tests/wine/lib/wine.sh"

image='HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Image File Execution Options\stagetrace-test.exe'

# TracingFlags of the image; nothing where there is none.
flags() { wine reg query "$image" /v TracingFlags 2>/dev/null </dev/null | tr -d '\r' | awk '$1 == "TracingFlags" { print $3 }'; }
set_flags() { wine reg add "$image" /v TracingFlags /t REG_DWORD /d "$1" /f >/dev/null 2>&1 </dev/null; }
flags_are() { [ "$(flags)" = "$1" ]; }
key_is_there() { wine reg query "$image" >/dev/null 2>&1 </dev/null; }
interval_is() { "$STAGETRACE_WPR" -profint 2>/dev/null </dev/null | has "= $1 "; }
remove_key() { wine reg delete "$image" /f >/dev/null 2>&1 </dev/null || true; }

# start STAGE...: these stages have nothing to wait for.
start() {
	local stage
	rm -f stage1.end stage2.end
	for stage; do : >"$stage.end"; done
	"$STAGETRACE" record --no-bundle test.ini >out 2>err </dev/null &
	pid=$!
}

# Nothing is left of a recording, and all settings are what they were: is_clean FLAGS WHAT
is_clean() {
	flags_are "$1" || fail "$2: TracingFlags is '$(flags)', not '$1'"
	[ -n "$1" ] || ! key_is_there || fail "$2: the key is left"
	wpt_is_clean
}

recover() {
	recover_wpt
	[ -z "$(find runs -maxdepth 1 -name '*.partial')" ] || fail "$1: recover left it"
}

# kill_in STATE FAULT FLAGS STAGE...: where it is in STATE, which the fault makes last; FLAGS were set before, and these stages end at
# once
kill_in() {
	local what="killed in $1 ($2, '$3' before)"
	forget
	fault "$2"
	if [ -n "$3" ]; then set_flags "$3"; else remove_key; fi
	start "${@:4}"
	wait_for partial_state "$1"
	if [ "$1" = recording ]; then
		flags_are 0x1 || fail "$what: the image is not traced"
		interval_is 5000 || fail "$what: the interval was not set"
	fi
	kill -KILL $pid
	wait $pid || true
	# By the guard, without anybody's help.
	wait_for flags_are "$3"
	fault
	let_go
	recover "$what"
	is_clean "$3" "$what"
}

trap remove_key EXIT
# By way of cmd and a batch file, as python.bat is.
make_checkout wpr 'cmd /c stage2.cmd' 'cmd /c stage1.cmd'
for stage in stage1 stage2; do
	printf '@set TREE_UNTIL=Z:%s\r\n@.\\pause.exe 1000\r\n@exit /b 0\r\n' "$PWD/$stage.end" >rust/$stage.cmd
done
cat >>test.ini <<-INI
	heap = yes
	cpu-interval = 500us
	[heap]
	image = stagetrace-test.exe
INI

# Whole, with nothing there before and with a value of somebody's.
for before in '' 0x2; do
	forget
	[ -z "$before" ] || set_flags "$before"
	start stage1
	wait_for partial_state recording
	flags_are 0x1 || fail "the image is not traced"
	interval_is 5000 || fail "the interval was not set"
	: >stage2.end
	wait $pid || fail "$(cat err)"
	state_is "$(the_run runs)" "done"
	is_clean "$before" "whole"
	remove_key
done

kill_in stage1 '' ''
kill_in starting wpr:setprofint:sleep=60 '' stage1
kill_in starting wpr:start:sleep=60 0x2 stage1
kill_in recording '' '' stage1
kill_in recording '' 0x2 stage1
kill_in stopping wpr:stop:sleep=60 '' stage1 stage2

# Guard and all are gone, as after a loss of power: recover puts it back.
for before in '' 0x2; do
	forget
	if [ -n "$before" ]; then set_flags "$before"; else remove_key; fi
	start stage1
	wait_for partial_state recording
	guard=$(own_processes stagetrace-guard)
	[ -n "$guard" ] || fail "there is no guard"
	# shellcheck disable=SC2086 # one or more numbers
	kill -KILL $guard $pid
	wait $pid || true
	flags_are 0x1 || fail "who put it back?"
	recover "without a guard"
	is_clean "$before" "without a guard"
done
