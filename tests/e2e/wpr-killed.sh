#!/usr/bin/env bash
# kill -9 at each write of the manifest while wpr records next to the build: recover saves the trace, ends what still
# runs, and restores the sampling interval.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/kill_at.sh"

make_wpt_checkout wpr 'sleep 0.2'

recover_clean() {
	recover_well
	wpt_is_clean
}

kill_at_each 14 6 recover_clean record --no-bundle test.ini

# Killed while wpr itself is at work: it goes on, and recover waits for its end, or that would undo what is put back.
kill_in() {
	forget
	fault "wpr:$1"
	"$STAGETRACE" record --no-bundle --set "record.stop-timeout=$2" test.ini >out 2>err &
	pid=$!
	wait_for pgrep -f "^$STAGETRACE_WPR -${1%%:*}"
	kill -KILL $pid
	wait $pid || true
}
for verb in setprofint start marker stop; do
	kill_in "$verb:sleep=100#1" 60s
	recover_waits $verb recover_clean
	nothing_left 15
	! pgrep -f "^$STAGETRACE_WPR -$verb" >/dev/null || fail "it was not waited for: $(cat recovered)"
	if [ $verb = stop ]; then
		[ -s "$(the_run runs)/trace.etl" ] || fail "killed while it saved: no trace"
		state_is "$(the_run runs)" "done"
	fi
done

# It never ends: said, with what to do; nothing is put back before.
kill_in start:hang-before#1 1s
wpr=$(pgrep -f "^$STAGETRACE_WPR -start")
"$STAGETRACE" check test.ini >out 2>err && fail "check finds nothing"
grep -q "wpr of an interrupted recording still runs: process $wpr" out || fail "$(cat out)"
"$STAGETRACE" recover runs/*.partial >out 2>err && fail "recovered while wpr was at work"
said "wpr -start, process $wpr, makes no progress"
said 'end that process, then recover again'
"$STAGETRACE_WPR" -profint | has '= 5000 ' || fail "the interval was put back"
kill -KILL "$wpr"
recover_clean

# A run may come from anyone: what its notes name is touched only where it has the form of ours.
forget
record_wpt 0
run=$(the_run runs)
mkdir -p victim
echo mine >victim/trace.etl
mv "$run" "$run.partial"
mkdir -p theirs
"$STAGETRACE_WPR" -start CPU -filemode -recordtempto theirs -instancename Theirs >/dev/null
python3 - "$run.partial/manifest.json" "$PWD/victim" <<'PY'
import json, sys
manifest = json.load(open(sys.argv[1]))
manifest["state"] = "starting"
manifest["recorder"]["session"] = {"instance": "Theirs", "folder": sys.argv[2], "interval": "1; rm -rf /"}
json.dump(manifest, open(sys.argv[1], "w"))
PY
"$STAGETRACE" recover "$run.partial" >out 2>err || fail "$(cat err)"
[ "$(cat victim/trace.etl)" = mine ] || fail "a directory that a manifest named was cleared"
"$STAGETRACE_WPR" -status -instancename Theirs | has 'in progress' || fail "a recording that a manifest named was ended"
"$STAGETRACE_WPR" -cancel -instancename Theirs >/dev/null
