#!/usr/bin/env bash
# Heap snapshots: the calls, their order, the selected processes; they are disabled at the end.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/heap.sh"
. "$SRCDIR/tests/e2e/lib/snapshots.sh"

# A call about two processes may as well be one about each, as they were seen together or not.
expect_calls() {
	diff -u - <(heap_calls | sed 's/^-singlesnapshot heap PID PID \(.*\)/-singlesnapshot heap PID \1\n-singlesnapshot heap PID \1/') ||
		fail "other calls"
}

# Compilers that end when so many snapshots were taken: until_taken COUNT &
until_taken() {
	wait_for snapshots_taken "$1"
	touch enough
}

# Of the compiler of one crate: at once, a second later, and no others'.
make_heap_checkout 'rustc 0.3 core; rustc_until enough rustc_middle & rustc_until enough rustc_hir & wait'
until_taken 2 &
heap 0 test.ini
run=$(the_run runs)
state_is "$run" "done"
expect_calls <<'CALLS'
-start HeapSnapshot -filemode -recordtempto DIRECTORY -instancename NAME
-status profiles collectors details -instancename NAME
-marker stage 2 starts -instancename NAME
-snapshotconfig heap -pid PID enable
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-marker stage 2 has ended -instancename NAME
-status profiles collectors details -instancename NAME
-stop DIRECTORY/trace.etl heap snapshots, taken by stagetrace -skipPdbGen -instancename NAME
CALLS
two_of_rustc_middle "$run" 1 >/dev/null
[ "$(manifest "$run" .recorder)" = '{"name": "wpr-heap", "version": "10.0.26100"}' ] || fail "$(manifest "$run" .recorder)"
heap_is_clean

# By the image's name before it starts; at given moments; no more than the process lives.
forget
rm enough
until_taken 4 &
heap 0 test.ini --set heap.image=rustc.exe --set 'heap.at=0s, 700ms, 1h' --set 'heap.crate=rustc_*'
expect_calls <<'CALLS'
-snapshotconfig heap -name rustc.exe enable
-start HeapSnapshot -filemode -recordtempto DIRECTORY -instancename NAME
-status profiles collectors details -instancename NAME
-marker stage 2 starts -instancename NAME
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-marker stage 2 has ended -instancename NAME
-status profiles collectors details -instancename NAME
-stop DIRECTORY/trace.etl heap snapshots, taken by stagetrace -skipPdbGen -instancename NAME
-snapshotconfig heap -name rustc.exe disable
CALLS
grep -q 'enabled for every rustc.exe' err || fail "there is no warning of its cost: $(cat err)"
heap_is_clean

# By wpr itself, of the living processes: it gets a new list when one ends.
forget
make_heap_checkout 'rustc_until listed rustc_hir & rustc_until alone rustc_middle & wait'
# The last list that wpr got has so many processes.
periodic_of() { calls -enableperiodicsnapshot | tail -n 1 | has -E "^-enableperiodicsnapshot heap 5( [0-9]+){$1} -"; }
{ wait_for periodic_of 2 && touch listed && wait_for periodic_of 1 && touch alone; } &
"$STAGETRACE" heap --dry-run test.ini --set heap.periodic=yes --set heap.interval=5s >dry 2>&1 || fail "$(cat dry)"
has 'wpr -singlesnapshot heap P; wpr -enableperiodicsnapshot heap 5 P' dry && has 'wpr -disableperiodicsnapshot heap' dry ||
	fail "not the periodic calls: $(cat dry)"
heap 0 test.ini --set heap.periodic=yes --set heap.interval=5s --set 'heap.crate=rustc_*' --set heap.image=rustc.exe
[ "$(heap_calls | grep -c '^-enableperiodicsnapshot heap 5 PID PID -instancename NAME$')" = 1 ] || fail "$(calls)"
heap_calls | grep periodic | tail -n 2 | diff -u - /dev/fd/3 3<<'CALLS' || fail "other calls"
-enableperiodicsnapshot heap 5 PID -instancename NAME
-disableperiodicsnapshot heap -instancename NAME
CALLS
heap_is_clean

# Processes that run already: nothing is built. One that ends in between is left out.
forget
sleep 3000 & one=$!
sleep 3000 & two=$!
{ wait_for snapshots_taken 4 && kill $two; } &
heap 0 $one $two --set heap.snapshots=3 --set heap.interval=6s
run=$(the_run runs)
state_is "$run" "done"
expect_calls <<'CALLS'
-snapshotconfig heap -pid PID PID enable
-start HeapSnapshot -filemode -recordtempto DIRECTORY -instancename NAME
-status profiles collectors details -instancename NAME
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-singlesnapshot heap PID -instancename NAME
-status profiles collectors details -instancename NAME
-stop DIRECTORY/trace.etl heap snapshots, taken by stagetrace -skipPdbGen -instancename NAME
-snapshotconfig heap -pid PID disable
CALLS
grep -qx "  snapshots   5: 3 of process $one, 2 of process $two" out || fail "$(cat out)"
kill -0 $one || fail "the process was ended"
[ "$(manifest "$run" .source.path)" = null ] || fail "a checkout of running processes"
heap_is_clean
# What the run says it was makes another like it.
forget
heap 0 $one --set heap.snapshots=1
cp "$(the_run runs)/config.ini" again.ini
forget
heap 0 again.ini
calls -singlesnapshot | has "^-singlesnapshot heap $one -instancename" || fail "$(calls)"
heap_is_clean

# Ctrl-C is how periodic snapshots end: they are kept, and packed.
forget
"$STAGETRACE" heap --set record.min-free-disk=64MB --set heap.periodic=yes $one >out 2>err &
pid=$!
wait_for grep -qs enableperiodicsnapshot "$STANDIN_LOG"
kill -INT $pid
wait $pid || fail "interrupted: $(cat err)"
state_is "$(the_run runs)" "done"
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
[ -s "$(the_run runs).zip" ] || fail "no bundle: $(cat err)"
[ "$(calls -disableperiodicsnapshot | wc -l)" = 1 ] || fail "$(calls)"
heap_is_clean

# Nine at a time are too many; each of the eight gets its own.
forget
rm enough
make_heap_checkout 'for i in 1 2 3 4 5 6 7 8 9; do rustc_until enough rustc_$i & done; wait'
{ wait_for grep -q 'at most 8 processes' err && until_taken 8; } &
heap 0 test.ini --set 'heap.crate=rustc_*' --set heap.snapshots=1
said 'wpr takes snapshots of at most 8 processes at a time'
[ "$(manifest "$(the_run runs)" .snapshots | grep -o '"pid"' | wc -l)" = 8 ] || fail "$(manifest "$(the_run runs)" .snapshots)"
heap_is_clean
kill $one
