#!/usr/bin/env bash
# The checkout often belongs to another user than the one who records: git runs no program that its configuration names, and
# writes nothing there.
. "$SRCDIR/tests/e2e/lib/lib.sh"

command -v git >/dev/null || skip "git is not installed"
make_checkout none true
(
	cd rust || exit
	git init -q
	git add .
	git -c user.name=test -c user.email=test@example.com commit -qm test
	git config core.fsmonitor "$PWD/../named"
	# Looking at it again would refresh the index.
	touch -d '1 hour ago' x.py
)
printf '#!/bin/sh\ntouch "%s/was-run"\n' "$PWD" >named
chmod +x named
before=$(stat -c '%i %y' rust/.git/index)

"$STAGETRACE" record --no-bundle test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
[ "$(manifest "$run" .source.git_dirty)" = 0 ] || fail "git was not asked: $(manifest "$run" .source)"
[ ! -e was-run ] || fail "git ran a program that the checkout names"
[ "$(stat -c '%i %y' rust/.git/index)" = "$before" ] || fail "git wrote the index"
