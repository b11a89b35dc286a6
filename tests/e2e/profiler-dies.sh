#!/usr/bin/env bash
# perf is killed while it records: the build is ended, the run is kept as failed, with the reason.
. "$SRCDIR/tests/e2e/lib/lib.sh"

perf_works
make_checkout perf 'sleep 1000'
"$STAGETRACE" record test.ini >out 2>err &
pid=$!
wait_for build_runs sleep
# perf is the child that carries the mark and runs perf
for p in $(marked_processes); do
	if [ "$(cat "/proc/$p/comm")" = perf ]; then kill -KILL "$p"; fi
done
rc=0
wait $pid || rc=$?
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
grep -q "perf ended before the build did" err || fail "$(cat err)"
run=$(the_run runs)
state_is "$run" failed
[ -s "$run.zip" ] || fail "it is not bundled: $(cat err)"
processes_are_whole "$run"
nothing_left
