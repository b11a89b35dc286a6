#!/usr/bin/env bash
# kill -9 at each step of the journal while heaps are taken: recover forbids what was permitted, and saves what there is.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/heap.sh"

command -v strace >/dev/null || skip "strace is not installed"
strace -o /dev/null -e trace=rename true 2>/dev/null || skip "strace may not trace here"
make_heap_checkout 'rustc 0.4 rustc_middle'
sleep 600 & process=$!
trap 'kill $process' EXIT

recover_clean() {
	state=
	recover_well
	heap_is_clean
}

# kill_at_each LEAST ARGUMENT...: at each rename, by which each manifest is written
kill_at_each() {
	local least=$1 steps=0 with_trace=0 k rc
	shift
	for k in $(seq 1 60); do
		forget
		rc=0
		strace -o /dev/null -e trace=rename -e "inject=rename:signal=SIGKILL:when=$k" \
			"$STAGETRACE" heap --no-bundle --set record.min-free-disk=64MB "$@" >out 2>err || rc=$?
		if [ $rc != 137 ]; then
			[ $rc = 0 ] || fail "the whole recording ended with $rc: $(cat err)"
			break
		fi
		steps=$((steps + 1))
		nothing_left 15
		recover_clean
		case $state in
		'') ;;
		prepared | stage1 | starting) state_is "$(the_run runs)" failed ;;
		*)
			[ -s "$(the_run runs)/trace.etl" ] || fail "killed in '$state': no trace"
			with_trace=$((with_trace + 1))
			;;
		esac
	done
	[ $steps -ge "$least" ] || fail "only $steps steps were hit"
	[ $with_trace -ge 4 ] || fail "only $with_trace runs have a trace"
	echo "killed at $steps steps: $*"
}

kill_at_each 12 test.ini --set heap.snapshots=1
kill_at_each 12 test.ini --set heap.snapshots=1 --set heap.image=rustc.exe
kill_at_each 10 $process --set heap.snapshots=1
# What was permitted of a process that has ended meanwhile is gone with it.
forget
sleep 600 & other=$!
"$STAGETRACE" heap --no-bundle --set record.min-free-disk=64MB --set heap.periodic=yes $process $other >out 2>err &
pid=$!
wait_for 20 grep -qs enableperiodicsnapshot "$STANDIN_LOG"
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
