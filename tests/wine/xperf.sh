#!/usr/bin/env bash
# A recording by xperf on Windows: the calls, lost events, and the state of the NT Kernel Logger after stagetrace was
# killed. tests/e2e/xperf-records.sh has more cases, on Linux.
. "$SRCDIR/tests/wine/lib/wine.sh"
. "$SRCDIR/tests/e2e/lib/xperf.sh"

make_wpt_checkout xperf './pause.exe 0.2'
xperf_records
processes_are_whole "$(the_run runs)"
xperf_loses

forget
mkdir -p theirs
xperf_leaves_theirs --set "stage1.command='$STANDINS/xperf.exe' -on PROC_THREAD+LOADER -f '$PWD/theirs/kernel.etl'"
[ -z "$(calls -stop)" ] || fail "$(calls -stop)"
"$STAGETRACE_XPERF" -stop >/dev/null

xperf_is_killed --set 'stage2.command=./pause.exe 1000'
