#!/usr/bin/env bash
# Heap tracing: the registry value is set only during the build, whatever happens.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/heap.sh"

tracing=(test.ini --set heap.recipe=tracing)
# What is there when the compilers would start.
make_heap_checkout true
printf '%s\n' "cat '$FLAGS' >'$TESTDIR/flags'; sleep 0.5" >rust/stage2.sh

heap 0 "${tracing[@]}" --set "bundle.wpa-profile=$SRCDIR/profiles/rustc.wpaProfile"
run=$(the_run runs)
state_is "$run" "done"
# The tabs of what it does not record are left out, and the graph of snapshots.
grep -o 'Title="[^"]*"' "$run/rustc.wpaProfile" | diff - <(printf 'Title="rustc %s"\n' 'Build Processes' 'Build Process Tree' 'Heap Analysis') ||
	fail "other tabs"
has 'Graph Guid="1a64d983' "$run/rustc.wpaProfile" && ! has 'Graph Guid="463048cb' "$run/rustc.wpaProfile" || fail "other graphs"
[ "$(cat flags)" = dword:1 ] || fail "the image was not traced: $(cat flags)"
[ "$(manifest "$run" .undo)" = '[]' ] || fail "$(manifest "$run" .undo)"
said 'every allocation of every rustc.exe on this machine will be recorded'
diff -u - <(heap_calls) <<'CALLS' || fail "other calls"
-start Heap -filemode -recordtempto DIRECTORY -instancename NAME
-status profiles collectors details -instancename NAME
-marker stage 2 starts -instancename NAME
-marker stage 2 has ended -instancename NAME
-status profiles collectors details -instancename NAME
-stop DIRECTORY/trace.etl heap allocations of a rustc bootstrap, recorded by stagetrace -skipPdbGen -instancename NAME
CALLS
heap_is_clean
# The stand-in traces its own heap.
"$STAGETRACE" memory "$run" --of heap --format csv --columns image,size_bytes,freed_bytes,count 2>err | tr -d '\r' >out || fail "$(cat err)"
has -x 'wpr.exe,458752,65536,3' out || fail "other calls of heaps: $(cat out err)"

# By `record`, in addition to everything else, if [record] heap is set.
forget
"$STAGETRACE" record --no-bundle --set record.heap=yes --set record.recorder=wpr test.ini >out 2>err || fail "$(cat err)"
calls -start | has '^-start CPU -start VirtualAllocation -start Heap -filemode' || fail "$(calls)"
[ "$(cat flags)" = dword:1 ] || fail "the image was not traced: $(cat flags)"
said 'every allocation of every rustc.exe on this machine will be recorded'
heap_is_clean
rm flags
forget
"$STAGETRACE" record --no-bundle --set record.recorder=wpr test.ini >out 2>err || fail "$(cat err)"
[ ! -s flags ] || fail "traced without being asked: $(cat flags)"

# Another image, and what stood there before.
forget
other=${FLAGS/rustc.exe/link.exe}
printf dword:2 >"$other"
heap 0 "${tracing[@]}" --set heap.image=link.exe
[ "$(cat "$other")" = dword:2 ] || fail "not put back: $(cat "$other")"
rm "$other"
heap_is_clean

# Not where it can't be set: there would be nothing to record.
forget
chmod a-w "$STAGETRACE_REGISTRY"
if ! touch "$STAGETRACE_REGISTRY/probe" 2>/dev/null; then
	heap 1 "${tracing[@]}"
	state_is "$(the_run runs)" failed
	[ -z "$(calls -start)" ] || fail "$(calls)"
fi
rm -f "$STAGETRACE_REGISTRY/probe"
chmod u+w "$STAGETRACE_REGISTRY"
forget
STAGETRACE_REGISTRY='' heap 1 "${tracing[@]}"
state_is "$(the_run runs)" failed
said TracingFlags
[ -z "$(calls -start)" ] || fail "$(calls)"

# The start fails; the build fails; the stop takes long: the image is not traced meanwhile.
forget
fault wpr:start:code=0x800705aa
heap 1 "${tracing[@]}"
heap_is_clean
forget
fault 'wpr:stop:sleep=100'
"$STAGETRACE" heap --no-bundle "${tracing[@]}" >out 2>err &
pid=$!
wait_for grep -q 'saving the trace' err
[ ! -e "$FLAGS" ] || fail "it is traced while the trace is saved"
let_go
wait $pid || fail "$(cat err)"
heap_is_clean

# Killed while it records: the guard puts it back without anybody's help, recover ends the recording.
forget
echo 'sleep 1000' >rust/stage2.sh
"$STAGETRACE" heap --no-bundle "${tracing[@]}" >out 2>err &
pid=$!
wait_for partial_state recording
[ "$(cat "$FLAGS")" = dword:1 ] || fail "not traced"
kill -KILL $pid
wait $pid || true
wait_for test ! -e "$FLAGS"
nothing_left 15
recover_wpt
state_is "$(the_run runs)" failed
heap_is_clean

# Guard and all are gone, as after a loss of power: recover puts it back.
forget
"$STAGETRACE" heap --no-bundle "${tracing[@]}" >out 2>err &
pid=$!
wait_for partial_state recording
guard=$(guard_of $pid)
kill -KILL "$guard" $pid
wait $pid || true
[ -e "$FLAGS" ] || fail "who put it back?"
recover_wpt
nothing_left 15
heap_is_clean
