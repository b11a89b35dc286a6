#!/usr/bin/env bash
# Heaps on Windows: snapshots of the compiler of one crate, which the tracker finds, and tracing by TracingFlags in the
# registry, set only during the build. tests/e2e/heap-*.sh has more cases, on Linux.
. "$SRCDIR/tests/wine/lib/wine.sh"
. "$SRCDIR/tests/e2e/lib/snapshots.sh"

make_checkout auto './x.exe build --stage 2'
cat >>test.ini <<-INI
	stop-timeout = 30s
	[heap]
	crate = rustc_middle
	snapshots = 2
	interval = 2s
INI

# heap EXIT [ARGUMENT...]: rustc_middle takes until two snapshots were taken
heap() {
	local want=$1 rc=0 pid taken
	shift
	rm -f enough
	"$STAGETRACE" heap --no-bundle --set record.min-free-disk=64MB --set stage2.env.TREE_SECONDS=1000 \
		--set "stage2.env.TREE_UNTIL=Z:$PWD/enough" "$@" >out 2>err &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		taken=$(grep -cs -- -singlesnapshot "$STANDIN_LOG") || true
		[ "${taken:-0}" -lt 2 ] || touch enough
		sleep 0.1
	done
	wait $pid || rc=$?
	[ $rc = "$want" ] || fail "exit code $rc, not $want: $(cat err)"
}

# What was done, with the run's own names made equal, and the numbers of processes but those of rustc_middle.
heap_calls() {
	calls | grep -v -e '^-help' -e '^-status' |
		sed -E "s/stagetrace-[0-9a-f]{12}/NAME/; s|'?[^ ]*[/\\\\]recorder|DIRECTORY|; s/ $1\b/ PID/g"
}

# Of one crate: its compiler, not its shim, at once and two seconds later.
heap 0 test.ini
run=$(the_run runs)
state_is "$run" "done"
pid=$(two_of_rustc_middle "$run" 2)
heap_calls "$pid" | diff -u /dev/fd/3 3<<'CALLS' - || fail "other calls"
-start HeapSnapshot -filemode -recordtempto DIRECTORY -instancename NAME
-marker stage 2 starts -instancename NAME
-snapshotconfig heap -pid PID enable
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-marker stage 2 has ended -instancename NAME
-stop DIRECTORY\trace.etl heap snapshots, taken by stagetrace -skipPdbGen -instancename NAME
CALLS
heap_is_clean

# Permitted by the image's name before it starts; killed while it takes them, which recover forbids again.
forget
"$STAGETRACE" heap --no-bundle --set stage2.env.TREE_SECONDS=1000 --set heap.image=rustc.exe test.ini >out 2>err &
pid=$!
wait_for grep -qs -- '-singlesnapshot' "$STANDIN_LOG"
grep -qx 'name=rustc.exe' "$STANDIN_STATE/state" || fail "not permitted: $(cat "$STANDIN_STATE/state")"
kill -KILL $pid
wait $pid 2>/dev/null || true
nothing_left 15
"$STAGETRACE" check test.ini --set record.recorder=wpr >out 2>err && fail "check finds nothing: $(cat out)"
grep -q 'still runs: stagetrace-' out || fail "$(cat out)"
recover_wpt
state_is "$(the_run runs)" failed
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
heap_is_clean

# Of a process that runs already: nothing is built, and it goes on.
forget
(cd rust && unset TMPDIR && exec wine ./pause.exe 1000 >../pause.out 2>&1) &
pause=$!
trap 'kill -KILL $pause 2>/dev/null || true' EXIT
wait_for grep -q '^process ' pause.out
number=$(sed -nE 's/^process ([0-9]+).*/\1/p' pause.out)
heap 0 "$number" --set heap.snapshots=2 --set heap.interval=1s
run=$(the_run runs)
state_is "$run" "done"
heap_calls "$number" | diff -u /dev/fd/3 3<<'CALLS' - || fail "other calls"
-snapshotconfig heap -pid PID enable
-start HeapSnapshot -filemode -recordtempto DIRECTORY -instancename NAME
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-stop DIRECTORY\trace.etl heap snapshots, taken by stagetrace -skipPdbGen -instancename NAME
-snapshotconfig heap -pid PID disable
CALLS
grep -qx "  snapshots   2: 2 of process $number" out || fail "$(cat out)"
kill -0 $pause || fail "the process was ended"
kill -KILL $pause
heap_is_clean
forget
heap 1 "$number"
said "there is no process $number"
[ ! -e runs ] || fail "something was begun"

# Traced: the value is there while stage 2 is built, and what stood there before comes back.
options='HKLM\Software\Microsoft\Windows NT\CurrentVersion\Image File Execution Options'
registry() { (unset TMPDIR; exec wine reg "$@" >/dev/null 2>&1); }
trap 'registry delete "$options\\link.exe" /f || true' EXIT
registry add "$options\\link.exe" /v TracingFlags /t REG_DWORD /d 2 /f
for image in rustc.exe link.exe; do
	forget
	rm -f enough
	"$STAGETRACE" heap --no-bundle --set heap.recipe=tracing --set heap.image=$image \
		--set 'stage2.command=./pause.exe 1000' --set "stage2.env.TREE_UNTIL=Z:$PWD/enough" test.ini >out 2>err &
	pid=$!
	wait_for partial_state recording
	[ "$(tracing_flags $image)" = 1 ] || fail "$image is not traced: $(tracing_flags $image)"
	touch enough
	wait $pid || fail "$(cat err)"
	said "every allocation of every $image on this machine will be recorded"
	state_is "$(the_run runs)" "done"
	[ "$(manifest "$(the_run runs)" .undo)" = '[]' ] || fail "$(manifest "$(the_run runs)" .undo)"
	calls -start | has '^-start Heap -filemode' || fail "$(calls)"
	heap_is_clean
	# What was recorded is read back: the stand-in traces its own heap.
	"$STAGETRACE" memory "$(the_run runs)" --of heap --format csv --columns image,size_bytes,freed_bytes,count 2>err |
		tr -d '\r' >back || fail "$(cat err)"
	has -x 'wpr.exe,458752,65536,3' back || fail "other calls of heaps: $(cat back err)"
done
[ "$(tracing_flags link.exe)" = 2 ] || fail "not put back: $(tracing_flags link.exe)"
! registry query "$options\\rustc.exe" || fail "the key is left"
