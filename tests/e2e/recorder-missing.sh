#!/usr/bin/env bash
# perf is not installed: asked for by name it is an error with a remedy, and nothing starts; with "auto" the
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
