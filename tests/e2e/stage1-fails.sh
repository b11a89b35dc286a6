#!/usr/bin/env bash
# Stage 1 fails: stage 2 is not started, the run is kept with the log of stage 1, and no process is left.
. "$SRCDIR/tests/e2e/lib/lib.sh"

make_checkout none 'touch stage2-ran' 'echo a broken crate >&2; exit 3'
rc=0
"$STAGETRACE" record test.ini >out 2>err || rc=$?
[ $rc = 1 ] || fail "exit code $rc"
grep -q "stage 1 failed with exit code 3; its output is in '.*/logs/stage1.log'" err || fail "$(cat err)"
has '^stagetrace: this command failed: python3 x.py build --stage 1$' err && has '^a broken crate$' err || fail "$(cat err)"
[ ! -e rust/stage2-ran ] || fail "stage 2 was run"
run=$(the_run runs)
case $run in *.partial) fail "the run kept its partial name" ;; esac
state_is "$run" failed
grep -q "a broken crate" "$run/logs/stage1.log" || fail "the log is not there"
"$STAGETRACE" why -q "$run.zip" --format csv >why.csv || fail "no bundle that tells why: $(ls runs)"

# What runs before stage 2, as `git bisect run` sees it at each commit: which command it is, what it printed, where that is.
echo true >rust/stage1.sh
rc=0
"$STAGETRACE" record test.ini --out bisect --fail-if 'peak > 4GB' --set 'stage2.before=sh -c "echo no such target >&2; exit 7"' >out 2>err || rc=$?
[ $rc = 125 ] || fail "exit code $rc: $(cat err)"
has "^stagetrace: this command failed: sh -c 'echo no such target >&2; exit 7'$" err && has '^no such target$' err || fail "$(cat err)"
has "before stage 2 failed with exit code 7; its output is in '.*/logs/before.log'" err || fail "$(cat err)"
rc=0
"$STAGETRACE" record test.ini --out silent --set 'stage2.before=false' >out 2>err || rc=$?
has '^stagetrace: this command failed: false$' err && has '^stagetrace: it printed nothing$' err || fail "$(cat err)"
nothing_left
