#!/usr/bin/env bash
# kill -9 at each write of the manifest while heap snapshots are taken: recover withdraws permissions, and saves the trace.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/heap.sh"
. "$SRCDIR/tests/e2e/lib/kill_at.sh"

make_heap_checkout 'rustc_until_snapshot rustc_middle'
sleep 3000 & process=$!
trap 'kill $process' EXIT

recover_clean() {
	recover_well
	heap_is_clean
}

kill_heap_at_each() { kill_at_each "$1" 4 recover_clean heap --no-bundle --set record.min-free-disk=64MB "${@:2}"; }

kill_heap_at_each 12 test.ini --set heap.snapshots=1
kill_heap_at_each 12 test.ini --set heap.snapshots=1 --set heap.image=rustc.exe
kill_heap_at_each 10 $process --set heap.snapshots=1
# What was permitted of a process that has ended meanwhile is gone with it.
forget
sleep 3000 & other=$!
"$STAGETRACE" heap --no-bundle --set record.min-free-disk=64MB --set heap.periodic=yes $process $other >out 2>err &
pid=$!
wait_for grep -qs enableperiodicsnapshot "$STANDIN_LOG"
kill -KILL $pid
wait $pid || true
kill $other
wait $other || true
"$STAGETRACE" check test.ini --set record.recorder=wpr >out 2>err && fail "check finds nothing: $(cat out)"
grep -q 'still runs: stagetrace-' out || fail "$(cat out)"
recover_clean
state_is "$(the_run runs)" failed
[ "$(calls -disableperiodicsnapshot | wc -l)" = 1 ] || fail "$(calls)"

# Notes may come from anyone: only what has the form of ours is touched.
forget
heap 0 $process --set heap.snapshots=1
run=$(the_run runs)
mv "$run" "$run.partial"
python3 - "$run.partial/manifest.json" <<'PY'
import json, sys
manifest = json.load(open(sys.argv[1]))
manifest["state"] = "starting"
manifest["recorder"]["session"] = {"snapshot_image": "-x/../y.exe", "snapshot_pids": "1;reboot -5 99999999999999"}
json.dump(manifest, open(sys.argv[1], "w"))
PY
rm "$STANDIN_LOG"
"$STAGETRACE" recover "$run.partial" >out 2>err || fail "$(cat err)"
[ -z "$(calls -snapshotconfig)" ] || fail "$(calls)"
