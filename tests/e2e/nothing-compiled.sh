#!/usr/bin/env bash
# A build by cargo of which everything is up to date: `record` and `compare` warn of it, and of no other; it passes no gate.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"

make_checkout none './cargo build; [ ! -e compile ] || ./rustc --crate-name one --crate-type lib'
cp "$(type -P true)" rust/cargo
cp rust/cargo rust/rustc
"$STAGETRACE" record --no-bundle --out idle test.ini >out 2>err || fail "$(cat err)"
has 'warning: stage 2 compiled no crate: everything was up to date; .* --set stage2.before=' err || fail "no warning: $(cat err)"
code=0
"$STAGETRACE" record --no-bundle --out idle-gate --fail-if 'wall > 1h' test.ini >out 2>err || code=$?
[ "$code" = 125 ] || fail "a build that compiled nothing passes a gate: exit code $code: $(cat err)"
touch rust/compile
"$STAGETRACE" record --no-bundle --out busy test.ini >out 2>err || fail "$(cat err)"
! has 'compiled no crate' err || fail "a warning of a build that compiles: $(cat err)"
idle=$(the_run idle)
busy=$(the_run busy)
"$STAGETRACE" compare "$busy" "$idle" >out 2>err || fail "$(cat err)"
has "warning: these builds compiled no crate, as everything was up to date: '$idle'$" err || fail "no warning: $(cat err)"
"$STAGETRACE" compare "$busy" "$busy" >out 2>err || fail "$(cat err)"
! has 'compiled no crate' err || fail "$(cat err)"

# Without cargo nobody knows what was to be made, and what fails is not up to date.
echo true >rust/stage2.sh
"$STAGETRACE" record --no-bundle --out other test.ini >out 2>err || fail "$(cat err)"
! has 'compiled no crate' err || fail "$(cat err)"
echo './cargo build; exit 3' >rust/stage2.sh
"$STAGETRACE" record --no-bundle --out failed test.ini >out 2>err && fail "it did not fail"
! has 'compiled no crate' err || fail "$(cat err)"
nothing_left
