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
	finish
	rm -f port
	python3 "$SRCDIR/tests/e2e/lib/odd-postgres.py" port "$@" &
	server=$!
	wait_for test -s port
	place="postgresql://user:s3%0Acret@127.0.0.1:$(cat port)/odd?sslpassword=s3%0Acre&connect_timeout=5"
}

# fails WHAT ARGUMENT...: a command of `history` fails in time with a message that has WHAT.
fails() {
	local what=$1 code=0

	shift
	timeout 100 "$STAGETRACE" history "$@" --db "$place" >out 2>err || code=$?
	[ "$code" = 1 ] || fail "$*: exit code $code: $(cat err)"
	has "$what" err || fail "$*: not '$what': $(cat err)"
	! cat out err | has -e s3 -e cret || fail "$*: a secret is shown: $(cat out err)"
}

# The longer secret goes first, and both before the line is made one.
serve echo
fails 'no \*\*\* is right, and \*\*\* neither' list
export PGPASSWORD=from-s3cret
place=${place/:s3%0Acret/}
fails 'no \*\*\* is right' list
unset PGPASSWORD
