#!/usr/bin/env bash
# A user without any rights, as in a locked-down container: everything possible is recorded, and a message says what
# is missing.
. "$SRCDIR/tests/e2e/lib/lib.sh"

[ "$(id -u)" = 0 ] || skip "becoming another user needs root"
command -v setpriv >/dev/null || skip "setpriv is not installed"
# The test's own directory is the caller's alone.
TESTDIR=$(mktemp -d -p /tmp stagetrace-test.XXXXXX)
trap 'rm -rf "$TESTDIR"' EXIT
chmod 755 "$TESTDIR"
cd "$TESTDIR" || exit
make_checkout auto 'for i in 1 2 3 4 5; do sleep 0.3; done; gcc -v 2>&1 | head -1'
cp "$STAGETRACE" ./stagetrace
chown -R nobody .
as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups --inh-caps=-all env HOME="$TESTDIR" "$@"; }

as_nobody ./stagetrace check test.ini >check.out 2>check.err || fail "$(cat check.out check.err)"
grep -Eq "^(warning|note)" check.out || fail "check is silent about what is missing: $(cat check.out)"
grep -q "do: " check.out || fail "no remedy: $(cat check.out)"
# A checkout of another user: x.py could not build there.
chown -R root rust
rc=0
as_nobody ./stagetrace check test.ini >check.out 2>&1 || rc=$?
[ $rc = 1 ] && grep -q "this user may not write in '.*rust'" check.out || fail "exit code $rc: $(cat check.out)"
chown -R nobody rust
as_nobody ./stagetrace record test.ini >out 2>err || fail "$(cat err)" 
cat check.out out
run=$(the_run runs)
state_is "$run" "done"
processes_are_whole "$run"
python3 - "$run/processes.jsonl" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
sleeps = [row for row in rows if row["image"] == "sleep"]
assert len(sleeps) == 5, len(sleeps)
assert any(row["role"] == "x.py" for row in rows)
PY
nothing_left
