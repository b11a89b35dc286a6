#!/usr/bin/env bash
# Killed on Windows in the middle of a build, together with the guard, and while wpr is about to start: the guard ends the build
# and restores the registry; recover saves the trace, ends what still runs, and restores what the guard did not.
. "$SRCDIR/tests/wine/lib/wine.sh"
make_wpt_checkout wpr './pause.exe 0.2'
trace_image stagetrace-killed.exe

recover_clean() {
	recover_well
	heap_is_clean
}

# With all that a build has, mspdbsrv.exe outside the job and all, and its rows from the journal.
forget
"$STAGETRACE" record --no-bundle --set record.heap=yes --set 'stage2.command=./x.exe build --stage 2' --set stage2.env.TREE_SECONDS=1000 \
	test.ini >out 2>err &
pid=$!
journal_has() { grep -qs "$1" runs/*.partial/processes.journal; }
wait_for journal_has 'stage1\\\\bin\\\\rustc.exe","argv_lost":false,"argv":\[[^]]*cargo-argfile'
for program in link mspdbsrv; do
	wait_for journal_has "$program.exe\",\"argv_lost\":false"
done
is_traced || fail "$IMAGE is not traced"
kill -KILL $pid
wait $pid || true
nothing_left 15
wait_for is_not_traced
recover_clean
run=$(the_run runs)
state_is "$run" failed
[ -s "$run/trace.etl" ] || fail "no trace"
processes_are_whole "$run"
"$NATIVE" processes "$run" --format csv --columns image,role,crate,part >rows 2>err || fail "$(cat err)"
for row in rustc.exe,rustc,libc link.exe,link,libc mspdbsrv.exe,other,rustc_llvm rustc.exe,rustc,rustc_middle; do
	grep -q "^$row,stage2-rustc" rows || fail "no row $row: $(cat rows)"
done

# Guard and all are gone, as after a loss of power: recover puts all back.
forget
"$STAGETRACE" record --no-bundle --set record.heap=yes --set 'stage2.command=./pause.exe 1000' test.ini >out 2>err &
pid=$!
wait_for partial_state recording
guard=$(own_processes stagetrace-guard)
kill -KILL $pid "$guard"
wait $pid || true
sleep 1 # nothing says that nobody will put it back
is_traced || fail "who put it back?"
[ -n "$(marked_processes)" ] || fail "who ended the build?"
recover_clean
nothing_left 15
state_is "$(the_run runs)" failed

# Killed while wpr is about to start its recording: recover waits for that, and ends it.
forget
fault 'wpr:start:sleep=100#1'
"$STAGETRACE" record --no-bundle --set record.stop-timeout=60s test.ini >out 2>err &
pid=$!
starts() { own_processes "$STANDINS/*-start" | grep .; }
# Before it counts its calls it is paused, until it is noted.
wait_for grep -qs '^verb=wpr:start' "$STANDIN_STATE/state"
starts || fail "wpr -start has ended"
kill -KILL $pid
wait $pid || true
recover_waits start recover_clean
! starts || fail "it was not waited for: $(cat recovered)"
state_is "$(the_run runs)" failed
