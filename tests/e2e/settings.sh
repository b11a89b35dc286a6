#!/usr/bin/env bash
# A system setting is restored, also if another recording uses it at the end: then a message says so, and it is restored
# as soon as that recording has ended. The setting is the machine's: no namespace has its own, and a file mounted over it
# would not do what the kernel does while perf records. It is set back at the end.
# kind: alone
. "$SRCDIR/tests/e2e/lib/lib.sh"

perf_works
setting=/proc/sys/kernel/perf_event_max_stack
[ -w $setting ] || skip "$setting is not ours to change"
before=$(cat $setting)
trap 'echo $before >$setting 2>/dev/null || true' EXIT
# A recording that has just ended may still hold it.
is_free() { echo 100 >$setting; }
wait_for is_free

# Each stage 2 goes on until its recording is no longer needed. Once it runs, perf records, which keeps the setting in use.
until_there() { echo "touch '$PWD/$1.runs'; until [ -e '$PWD/$1' ]; do sleep 0.05; done"; }
make_checkout perf "$(until_there first.end)"
until_there second.end >rust/second.sh
"$STAGETRACE" record --no-bundle test.ini >out 2>err &
first=$!
wait_for partial_state recording
[ "$(cat $setting)" = 192 ] || fail "it was not raised"
"$STAGETRACE" record --no-bundle --out runs2 --set stage2.command='sh second.sh' test.ini >out2 2>err2 &
second=$!
wait_for test -e second.end.runs
touch first.end
wait $first || fail "$(cat err)"
grep -q "not restored yet" err || fail "not a word: $(cat err)"
[ "$(manifest "$(the_run runs)" .undo)" = "[]" ] || fail "the complete run still notes it: $(manifest "$(the_run runs)" .undo)"
touch second.end
wait $second || fail "$(cat err2)"
wait_for grep -qx 100 $setting

# The same for recover, after stagetrace and its guard were killed.
"$STAGETRACE" record --no-bundle --out killed --set stage2.command="sh -c 'touch $PWD/killed.runs; sleep 300'" test.ini >out 2>err &
first=$!
wait_for test -e killed.runs
until_there third.end >rust/third.sh
"$STAGETRACE" record --no-bundle --out runs3 --set stage2.command='sh third.sh' test.ini >out2 2>err2 &
second=$!
wait_for test -e third.end.runs
guard=$(guard_of $first)
kill -KILL "$guard" $first
wait $first || true
"$STAGETRACE" recover killed/*.partial >out 2>err || fail "$(cat err)"
grep -q "not restored yet" err || fail "not a word: $(cat err)"
[ "$(manifest "$(the_run killed)" .undo)" = "[]" ] || fail "the complete run still notes it"
touch third.end
wait $second || fail "$(cat err2)"
wait_for grep -qx 100 $setting
