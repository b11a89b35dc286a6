#!/usr/bin/env bash
# Whoever speaks PostgreSQL's protocol may be asked for a history: what is odd in the answers is said, and neither ends this program
# otherwise nor keeps it for ever. A password that comes back in a message is not shown.
. "$SRCDIR/tests/e2e/lib/lib.sh"
python3 -c 'import ctypes; ctypes.CDLL("libpq.so.5")' 2>/dev/null || skip "libpq.so.5 is not installed"

server=
finish() { [ -z "$server" ] || kill "$server"; }
trap finish EXIT

# serve KIND [GOOD]: the one server of this test, from now on (tests/e2e/lib/odd-postgres.py).
serve() {
	kind=$*
	finish
	rm -f port
	python3 "$SRCDIR/tests/e2e/lib/odd-postgres.py" port "$@" &
	server=$!
	wait_for test -s port
	place="postgresql://user:s3%0Acret@127.0.0.1:$(cat port)/odd?sslpassword=s3%0Acre&connect_timeout=5"
}

# fails WHAT ARGUMENT...: a command of `history` fails in time with a message that has WHAT.
fails() {
	local what=$1 code=0 want=1

	shift
	[ "$1" != check ] || want=125
	timeout 100 "$STAGETRACE" history "$@" --db "$place" >out 2>err || code=$?
	[ "$code" = $want ] || fail "$kind: $*: exit code $code: $(cat err)"
	has -e "$what" err || fail "$kind: $*: not '$what': $(cat err)"
	! cat out err | has -e s3 -e cret || fail "$*: a secret is shown: $(cat out err)"
}

# The longer secret goes first, and both before the line is made one.
serve echo
fails 'no \*\*\* is right, and \*\*\* neither' list
export PGPASSWORD=from-s3cret
place=${place/:s3%0Acret/}
fails 'no \*\*\* is right' list
unset PGPASSWORD

# is_odd KIND NUMBER RUNS SETUP: what is said of an answer of this kind to the question for a number, for runs, for an id.
run=$SRCDIR/tests/data/traced-run
is_odd() {
	serve "$1" 'FROM pg_class'
	fails "$2" list
	fails "$2" add "$run"
	serve "$1" 'max(version)'
	fails "$2" list
	serve "$1" JOIN
	fails "$3" list
	fails "$3" check --fail-if 'peak > 1GB'
	fails "$3" add "$run"
	serve "$1" 'SELECT id FROM setup'
	fails "$4" add "$run"
}
other='answers with other rows than were asked for'
no_number='does not answer with a number'
no_id='the configuration and the host were not kept'
copies='wants to copy data, which nobody asked for'
is_odd no-columns "$other" "$other" "$other"
is_odd few-columns "$other" "$other" "$other"
is_odd many-columns "$other" "$other" "$other"
is_odd two-rows "$other" "$other" "$other"
is_odd forever "$other" "$other" "$other"
is_odd rows-forever "$other" "$other" "$other"
is_odd null "$no_number" "$other" "$no_id"
is_odd text "$no_number" "$other" "$no_id"
is_odd negative "$no_number" "$other" "$other"
is_odd copy-in "$copies" "$copies" "$copies"
is_odd copy-out "$copies" "$copies" "$copies"
is_odd copy-both "$copies" "$copies" "$copies"
is_odd empty 'the server refuses$' 'the server refuses$' 'the server refuses$'
is_odd error 'it is.*odd' 'it is.*odd' 'it is.*odd'
! has "$(printf '\033')" err || fail "a server's message controls the terminal"

# No rows, where some may be: a history without runs.
for odd in no-rows nothing; do
	serve $odd 'FROM pg_class'
	fails "$no_number" list
	serve $odd JOIN
	fails 'has no runs' check
	serve $odd 'SELECT id FROM setup'
	fails "$no_id" add "$run"
done

# Tables that other programs make while this one looks whether there are any are no tables of something else.
serve made-meanwhile 'FROM pg_class'
fails 'has no runs' check

# A server that ends, one that says nothing after it has been asked, and one that never says anything.
serve lost JOIN
fails 'the server ends' check
export STAGETRACE_HISTORY_TIMEOUT=1s
serve silent JOIN
fails 'the server has not answered for 1.00 s: STAGETRACE_HISTORY_TIMEOUT is how long to wait for it' list
serve silent 'SELECT id FROM setup'
fails 'the server has not answered for 1.00 s' add "$run"
serve mute
place=${place/timeout=5/timeout=2}
fails 'timeout expired' list
for time in 0s 25h ten; do
	code=0
	STAGETRACE_HISTORY_TIMEOUT=$time "$STAGETRACE" history list --db "$place" >out 2>err || code=$?
	[ "$code" = 2 ] || fail "$time is a time: $code: $(cat err)"
done
