#!/usr/bin/env bash
# A run of wpr has the files that WPA needs; `open` starts WPA, here a stand-in, with the run's profile and symbols, and
# does not wait for it.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
[ -x "$STANDINS/wpa" ] || skip "no stand-in for wpa: make tests"

make_wpt_checkout wpr 'sleep 0.3'
cat >>test.ini <<INI
wpr-profile = $SRCDIR/profiles/rustc.wprp
[bundle]
wpa-profile = $SRCDIR/profiles/rustc.wpaProfile
INI
"$STAGETRACE" record test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
for file in rustc.wpaProfile rustc.stacktags rustc.wprp trace.etl open.cmd open.sh; do
	[ -s "$run/$file" ] || fail "no $file in the run"
	grep -q "\"$file\"" "$run/manifest.json" || fail "$file is not in the manifest"
done
# Without the tab of heaps, of which nothing is recorded.
sed '/<View .*Title="rustc Heap Analysis"/,/<\/View>/d' "$SRCDIR/profiles/rustc.wpaProfile" | cmp - "$run/rustc.wpaProfile"
unzip -l "$run.zip" | has '/open.cmd$' || fail "no open.cmd in the bundle"
grep -q 'srv[*]%~dp0symbols.pdb;%~dp0symbols;.*rust\\build\\host\\stage1\\bin;%_NT_SYMBOL_PATH%"' "$run/open.cmd" || fail "$(cat "$run/open.cmd")"

# Moved, under a name that shells stumble over.
mv "$run" "a run & more 100%"
run=$(realpath "a run & more 100%")
rm -f "$STANDIN_LOG"
STAGETRACE_WPA=$STANDINS/wpa STANDIN_WPA_STAY=60 "$STAGETRACE" open "$run" >out 2>err || fail "$(cat err)"
[ ! -s err ] || fail "$(cat err)"
wait_for test -s "$STANDIN_LOG"
wpa=$(pgrep -f -- "^$STANDINS/wpa -i $run/trace.etl ") || fail "it waits for WPA"
kill "$wpa"
python3 - "$STANDIN_LOG" "$run" <<'PY'
import json, sys
run = sys.argv[2]
call, = [json.loads(line) for line in open(sys.argv[1])]
assert call["tool"] == "wpa" and call["end"] == "stays" and call["code"] == "0x00000000", call
assert call["argv"] == ["-i", run + "/trace.etl", "-profile", run + "/rustc.wpaProfile", "-symbols"], call
assert call["streams"] == ["null"] * 3, call
path = call["env"]["_NT_SYMBOL_PATH"].split(";")
assert path[:2] == ["srv*" + run + "/symbols/pdb", run + "/symbols"] and path[2].endswith("/rust/build/host/stage1/bin"), path
assert call["env"]["_NT_SYMCACHE_PATH"] == run + "/symbols/symcache*C:\\SymCache", call
assert path[3:] == ["cache*C:\\Symbols", "srv*https://msdl.microsoft.com/download/symbols"], path
PY

# A recording by perf or of tags alone is nothing for WPA.
sed 's/^recorder = .*/recorder = none/' test.ini >none.ini
rm -r runs
"$STAGETRACE" record --no-bundle none.ini >out 2>err || fail "$(cat err)"
[ -z "$(find runs -name 'rustc.*' -o -name open.cmd)" ] || fail "$(find runs -type f)"
