#!/usr/bin/env bash
# Heap snapshots that cannot be taken: the messages, and that nothing is left on the system.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/heap.sh"

make_heap_checkout 'rustc 1.5 rustc_middle'
sleep 3000 & process=$!
trap 'kill $process' EXIT

# The start fails after snapshots were enabled, by name, by number.
for how in 'test.ini --set heap.image=rustc.exe' "$process"; do
	forget
	fault wpr:start:code=0x800705aa
	# shellcheck disable=SC2086 # words
	heap 1 $how
	state_is "$(the_run runs)" failed
	said 'logman query -ets'
	[ "$(calls -snapshotconfig | grep -c disable)" = 1 ] || fail "$(calls)"
	heap_is_clean
done

# So does permission itself; somebody else's recording is seen before.
forget
fault wpr:snapshotconfig:code=0x80070057#1
heap 1 $process
state_is "$(the_run runs)" failed
said 'wpr -snapshotconfig failed with 0x80070057'
[ -z "$(calls -start)" ] || fail "$(calls)"
heap_is_clean
forget
mkdir -p theirs
"$STAGETRACE_WPR" -start CPU -filemode -recordtempto theirs >/dev/null
heap 1 $process
said 'wpr records already'
[ ! -e runs ] || fail "something was begun"

# Not elevated.
forget
STANDIN_ELEVATED=0 heap 1 $process
state_is "$(the_run runs)" failed
said 'elevated prompt'
heap_is_clean

# A snapshot that takes too long is tried again; one that can't be leaves the others.
forget
fault 'wpr:singlesnapshot:code=0x800705b4#1'
heap 0 $process --set heap.snapshots=1
[ "$(calls -singlesnapshot | wc -l)" = 2 ] || fail "$(calls)"
forget
fault 'wpr:singlesnapshot:code=0x80004005'
heap 1 $process
run=$(the_run runs)
state_is "$run" failed
said "no heap snapshot of process $process: wpr -singlesnapshot failed with 0x80004005"
said 'no heap snapshot was taken'
[ -s "$run/trace.etl" ] || fail "the trace is not kept"
heap_is_clean
forget
fault 'wpr:singlesnapshot:code=0x80004005#1'
sleep 3000 & other=$!
heap 0 $process $other --set heap.snapshots=1
[ "$(manifest "$(the_run runs)" .snapshots | grep -o '"pid"' | wc -l)" = 2 ] || fail "$(manifest "$(the_run runs)" .snapshots)"
kill $other
heap_is_clean

# They are still enabled at the end, as wpr refuses: recover does the rest.
forget
fault 'wpr:snapshotconfig:code=0x80070005#2'
heap 1 $process --set heap.snapshots=1
said 'disabled yet'
said 'stagetrace recover'
fault
recover_wpt
state_is "$(the_run runs)" "done"
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
heap_is_clean

# No compiler of such a crate; one that ended too soon; a build that fails.
forget
heap 1 test.ini --set heap.crate=nonesuch
said 'no rustc compiled a crate that [heap] crate names'
state_is "$(the_run runs)" failed
heap_is_clean
forget
heap 1 test.ini --set heap.at=1h
said 'the processes ended before'
heap_is_clean
forget
make_heap_checkout 'rustc 0.5 rustc_middle; exit 3'
heap 1 test.ini --set heap.image=rustc.exe
said 'stage 2 failed with exit code 3'
state_is "$(the_run runs)" failed
[ -s "$(the_run runs)/trace.etl" ] || fail "the trace is not kept"
heap_is_clean

# What makes no sense is found before anything runs: MESSAGE|ARGUMENTS
while IFS='|' read -r message arguments; do
	forget
	# shellcheck disable=SC2086 # words
	heap 1 $arguments
	said "$message"
	[ ! -e runs ] || fail "something was begun"
done <<CASES
there is no process 4194999|4194999
[heap] selects no process|test.ini --set heap.crate=
[heap] pid cannot be combined with crate or image|$process --set heap.crate=core
[heap] at and periodic contradict each other|$process --set heap.periodic=yes --set heap.at=1s
periodic snapshots need an interval of at least 5 whole seconds|$process --set heap.periodic=yes --set heap.interval=3s
running processes cannot be traced|$process --set heap.recipe=tracing
CASES
STANDIN_WPR_VERSION=10.0.15063.1 heap 1 $process
said 'this wpr is too old: 10.0.15063'

# Without a stand-in this system has no wpr.
unset STAGETRACE_WPR
heap 1 $process
said 'runs on Windows only'
said 'stagetrace memory RUN --by stack'
