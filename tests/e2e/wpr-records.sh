#!/usr/bin/env bash
# A recording by wpr: the calls and their order, the settings that are restored, the profile as used, and refused paths.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"

make_wpt_checkout wpr 'sleep 0.3'
"$STAGETRACE" check test.ini >out 2>err || fail "check: $(cat out err)"
grep -q 'wpr can record CPU samples and memory events' out || fail "$(cat out)"
[ "$(calls | grep -cv -e '^-help' -e '^-status$' -e '^-profiles')" = 0 ] || fail "check does more than look: $(calls)"

rm "$STANDIN_LOG"
record_wpt 0
run=$(the_run runs)
state_is "$run" "done"
[ "$(manifest "$run" .recorder)" = '{"name": "wpr", "version": "10.0.26100"}' ] || fail "$(manifest "$run" .recorder)"
[ "$(manifest "$run" .lost.trace_events)" = 0 ] || fail "lost $(manifest "$run" .lost.trace_events)"
[ -s "$run/trace.etl" ] || fail "no trace"
grep -q 'Events Lost' "$run/logs/recorder-status.txt" || fail "no status"
processes_are_whole "$run"
wpt_is_clean

name=$(calls -start | sed 's/.*-instancename //')
[[ $name =~ ^stagetrace-[0-9a-f]{12}$ ]] || fail "instance '$name'"
calls | grep -v -e '^-help' -e '^-status$' -e '^-profint$' | sed "s/$name/NAME/g; s|[^ ]*/recorder|DIRECTORY|" >got
cat >wanted <<'CALLS'
-setprofint 5000
-start CPU -start VirtualAllocation -filemode -recordtempto DIRECTORY -instancename NAME
-status profiles collectors details -instancename NAME
-marker stage 2 starts -instancename NAME
-marker stage 2 has ended -instancename NAME
-status profiles collectors details -instancename NAME
-stop DIRECTORY/trace.etl stage 2 of a rustc bootstrap, recorded by stagetrace -skipPdbGen -instancename NAME
-setprofint 10000
CALLS
diff -u wanted got || fail "other calls"
# A console of ours is never wpr's.
python3 - "$STANDIN_LOG" <<'PY'
import json, sys
for line in open(sys.argv[1]):
    call = json.loads(line)
    assert call["streams"][0] == "null" and "terminal" not in call["streams"], call
PY
# What it was run with and ended with is in the manifest.
python3 - "$run/manifest.json" <<'PY'
import json, sys
calls = [c for c in json.load(open(sys.argv[1]))["commands"] if c["what"] == "wpr"]
assert len(calls) == 9 and all(c["exit_code"] == 0 and c["end_ns"] >= c["start_ns"] for c in calls), calls
PY

# An old one knows no -skipPdbGen; one that does not say how old it is refuses it, and is asked again without.
forget
STANDIN_WPR_VERSION=10.0.17763.1 record_wpt 0
[ "$(calls -stop | grep -c skipPdbGen)" = 0 ] || fail "$(calls -stop)"
wpt_is_clean

# Our own profiles: the one for what is asked for, with the buffers of the configuration.
if [ -e "$SRCDIR/profiles/rustc.wprp" ]; then
	for case in 'yes yes RustcBootstrap' 'yes no RustcCpu' 'no yes RustcMemory'; do
		read -r cpu memory profile <<<"$case"
		forget
		record_wpt 0 --set record.wpr-profile="$SRCDIR/profiles/rustc.wprp" --set record.buffers=96MB \
			--set record.cpu="$cpu" --set record.virtualalloc="$memory" --set record.detail=light
		run=$(the_run runs)
		calls -start | has "rustc.wprp!$profile.light -filemode" || fail "$(calls -start)"
		grep -q '<Buffers Value="96"' "$run/rustc.wprp" || fail "the buffers are not set"
		wpt_is_clean
	done
fi

# What a dry run prints does the recording by hand.
forget
"$STAGETRACE" record --dry-run test.ini --set record.wpr-profile="$SRCDIR/profiles/rustc.wprp" >commands 2>err || fail "$(cat err)"
[ ! -e runs ] || fail "something was done"
sh -eu commands >out 2>err || fail "the commands do not run: $(cat commands out err)"
[ -s "$(echo runs/*.partial/recorder/trace.etl)" ] || fail "no trace: $(find runs)"
"$STAGETRACE_WPR" -profint | has '= 10000 ' || fail "the interval is not put back"

# A directory of its own, on another disk perhaps: nothing else in it is touched.
forget
mkdir -p temp
echo mine >temp/letter
record_wpt 0 --set record.temp="$TESTDIR/temp"
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
[ "$(ls temp)" = letter ] || fail "in temp: $(ls temp)"
wpt_is_clean

# Paths that wpr refuses are found before anything is built, with the remedy.
forget
long=$(printf 'long%.0s' {1..60})
record_wpt 1 --out "$TESTDIR/runs/$long"
said 'the profiler'"'"'s files would have paths of'
said 'set [record] temp to a directory with a short path'
[ ! -e "$STANDIN_STATE/state" ] || ! grep -q recording "$STANDIN_STATE/state" || fail "something was started"
record_wpt 0 --out "$TESTDIR/runs/$long" --set record.temp="$TESTDIR/temp" \
	--set record.wpr-profile="$SRCDIR/profiles/rustc.wprp"
[ -s "$(the_run "runs/$long")/rustc.wprp" ] || fail "the profile is not in the run"
wpt_is_clean

# Without a stand-in there is no wpr here, and nobody can be misled.
unset STAGETRACE_WPR
record_wpt 1
said "profiler 'wpr' does not run on this system"
