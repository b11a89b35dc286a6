#!/usr/bin/env bash
# A build that leaves a daemon behind: the run is good, the daemon is named and ended.
. "$SRCDIR/tests/e2e/lib/lib.sh"

make_checkout none 'setsid sleep 300 >/dev/null 2>&1 & (setsid sh -c "sleep 301; true" &) ; true'
"$STAGETRACE" record test.ini >out 2>err || fail "$(cat err)"
grep -q "warning: the build left .* running, which were ended: .*sleep" err || fail "$(cat err)"
state_is "$(the_run runs)" "done"
nothing_left
