#!/usr/bin/env bash
# perf is not installed: if it is requested by name, that is an error with a remedy, and nothing starts; with "auto" the
# run has tags, times and peaks.
. "$SRCDIR/tests/e2e/lib/lib.sh"

mkdir bin
ln -s "$(python3 -c 'import sys; print(sys.executable)')" bin/python3
for tool in sh true git sleep; do
	if path=$(command -v $tool); then ln -s "$path" bin/; fi
done
make_checkout perf true
rc=0
PATH=$PWD/bin "$STAGETRACE" record test.ini >out 2>err || rc=$?
[ $rc = 1 ] || fail "exit code $rc"
grep -q "perf is not installed" err || fail "$(cat err)"
grep -q "apt-get install linux-perf" err || fail "no remedy: $(cat err)"
[ ! -e runs ] || fail "something was begun"
PATH=$PWD/bin "$STAGETRACE" record --set record.recorder=auto test.ini >out 2>err || fail "$(cat err)"
grep -q "perf is not installed" err || fail "auto was silent"
[ "$(manifest "$(the_run runs)" .recorder.name)" = none ] || fail "recorder $(manifest "$(the_run runs)" .recorder.name)"
processes_are_whole "$(the_run runs)"

# One that is here and can't record now is no reason for a worse one: wpr, while somebody else records by it.
rm -r runs
. "$SRCDIR/tests/e2e/lib/wpt.sh"
mkdir theirs
"$STAGETRACE_WPR" -start CPU -filemode -recordtempto theirs >/dev/null
rc=0
PATH=$PWD/bin "$STAGETRACE" record --set record.recorder=auto test.ini >out 2>err || rc=$?
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
grep -q "^error  *wpr records already" err || fail "$(cat err)"
[ ! -e runs ] || fail "something was begun"
"$STAGETRACE_WPR" -cancel >/dev/null

# One that is not here is.
PATH=$PWD/bin STAGETRACE_WPR=$PWD/nowhere "$STAGETRACE" record --set record.recorder=auto test.ini >out 2>err || fail "$(cat err)"
[ "$(manifest "$(the_run runs)" .recorder.name)" = xperf ] || fail "recorder $(manifest "$(the_run runs)" .recorder.name)"
