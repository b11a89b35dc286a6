#!/usr/bin/env bash
# A recording by sudo is root's, but a scrubbed bundle has the name neither of who called sudo nor of the run directory's owner,
# whoever packs it.
. "$SRCDIR/tests/e2e/lib/lib.sh"

owner=www-data
id $owner >/dev/null 2>&1 && [ "$(id -u)" = 0 ] || owner=
make_checkout none "echo a file of plantedcaller and of $owner"
SUDO_USER=plantedcaller "$STAGETRACE" record --no-bundle test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
[ "$(manifest "$run" .host.caller)" = plantedcaller ] || fail "the manifest does not name the caller"
[ -z "$owner" ] || chown "$owner" "$run"
"$STAGETRACE" bundle "$run" -o plain.zip >out
"$STAGETRACE" bundle "$run" --scrub -o scrubbed.zip >out
has 'names of users' out || fail "they are not listed: $(cat out)"
for name in plantedcaller $owner; do
	unzip -p plain.zip | grep "$name" >found || fail "$name is not in the plain bundle, so that nothing is tested"
	! unzip -p scrubbed.zip | grep "$name" >left || fail "$name is in the scrubbed bundle: $(cat left)"
done

# Without sudo there is no caller.
rm -rf runs
env -u SUDO_USER "$STAGETRACE" record --no-bundle test.ini >out 2>err || fail "$(cat err)"
! manifest "$(the_run runs)" .host.caller 2>/dev/null || fail "there is a caller"
