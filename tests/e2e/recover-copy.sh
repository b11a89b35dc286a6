#!/usr/bin/env bash
# Recovering a copy of a running recording closes the copy, and touches nothing of the recording.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"

make_checkout none "until [ -e '$PWD/end' ]; do sleep 0.05; done; touch built"
"$STAGETRACE" record --no-bundle test.ini >out 2>err &
recording=$!
wait_for partial_state recording
wait_for build_runs stage2.sh
original=$(echo runs/*.partial)
cp -r "$original" copy.partial

"$STAGETRACE" recover copy.partial >out-copy 2>err-copy || fail "$(cat err-copy)"
grep -q "is a copy" err-copy || fail "not a word: $(cat err-copy)"
! grep -q "ending" err-copy || fail "it ended processes: $(cat err-copy)"
state_is copy failed
processes_are_whole copy

touch end
wait $recording || fail "the recording was disturbed: $(cat err)"
state_is "$(the_run runs)" "done"
[ -e rust/built ] || fail "the build did not get to its end"

# The run itself, by another name, is not a copy.
"$STAGETRACE" record --no-bundle --out killed --set stage2.command='sleep 300' test.ini >out 2>err &
recording=$!
killed_records() { grep -qx '  "state": "recording",' killed/*.partial/manifest.json; }
wait_for killed_records
kill -9 $recording
wait $recording 2>/dev/null || true
mv killed/*.partial moved.partial
"$STAGETRACE" recover moved.partial >out 2>err || fail "$(cat err)"
! grep -q "is a copy" err || fail "$(cat err)"
state_is moved failed
nothing_left
