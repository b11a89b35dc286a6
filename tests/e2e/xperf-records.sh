#!/usr/bin/env bash
# A recording by xperf: the calls, and the state of the NT Kernel Logger; that of another program is not touched.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/xperf.sh"

make_wpt_checkout xperf 'sleep 0.3'
xperf_records
xperf_loses

# Somebody else's.
forget
mkdir -p theirs
"$STAGETRACE_XPERF" -on PROC_THREAD+LOADER -f theirs/kernel.etl >/dev/null
record_wpt 1
said 'the NT Kernel Logger runs already'
"$STAGETRACE_XPERF" -stop >/dev/null
printf '%s\n' "'$STAGETRACE_XPERF' -on PROC_THREAD+LOADER -f '$PWD/theirs/kernel.etl' >/dev/null" >rust/stage1.sh
xperf_leaves_theirs
[ "$(calls -stop | wc -l)" = 1 ] || fail "$(calls -stop)"

forget
make_wpt_checkout xperf 'sleep 1000'
xperf_is_killed
