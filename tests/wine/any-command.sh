#!/usr/bin/env bash
# A command after -- is recorded by wpr without a configuration: any program, with its arguments and its exit code.
. "$SRCDIR/tests/wine/lib/wine.sh"

make_checkout wpr ./x.exe
settings=(--set record.recorder=wpr --set record.min-free-disk=64MB --set record.wpr-profile="$SRCDIR/profiles/rustc.wprp")
"$STAGETRACE" record "${settings[@]}" -- ./rust/pause.exe 0 >out 2>err || fail "$(cat out err)"
grep -q '^  command     ' out || fail "its time is not there: $(cat out)"
bundle=$(echo runs/*.zip)
[[ $bundle == runs/pause.exe-*.zip ]] && [ -s "$bundle" ] || fail "no bundle, or another name: $(ls runs)"
run=${bundle%.zip}
state_is "$run" "done"
"$STAGETRACE" processes "$run" --columns image,exit_code --format csv 2>err | tr -d '\r' >rows
grep -q '^pause.exe,0$' rows || fail "not the program: $(cat rows err)"
grep -q '"name": "wpr"' "$run/manifest.json" || fail "recorded by another: $(cat "$run/manifest.json")"

rc=0
"$STAGETRACE" record "${settings[@]}" --out other -- ./rust/pause.exe 0 3 >out 2>err || rc=$?
[ $rc = 1 ] && grep -q "the command failed with exit code 3" err || fail "exit code $rc: $(cat err)"
wpt_is_clean
nothing_left
