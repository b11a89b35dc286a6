#!/usr/bin/env bash
# wpr refuses, loses events, loses the recording: the messages and the run, and that nothing is left on the system.
. "$SRCDIR/tests/e2e/lib/lib.sh"
. "$SRCDIR/tests/e2e/lib/wpt.sh"
. "$SRCDIR/tests/e2e/lib/wpr_faults.sh"

make_wpt_checkout wpr 'sleep 0.2'

events_are_lost

# It is bundled all the same.
forget
fault wpr:session:lose=7
! "$STAGETRACE" record test.ini >out 2>err || fail "lost events are no failure"
[ -s "$(the_run runs).zip" ] || fail "it is not bundled: $(cat err)"
fault

# The same if wpr does not print English, and only the trace shows it.
forget
cat >wpr-es <<-SH
	#!/bin/sh
	'$STAGETRACE_WPR' "\$@" >said
	code=\$?
	sed 's/Events Lost/Eventos perdidos/; s/Dropped event/Eventos descartados/' said
	exit \$code
SH
chmod +x wpr-es
fault wpr:session:lose=7
STAGETRACE_WPR=$PWD/wpr-es record_wpt 1
run=$(the_run runs)
state_is "$run" failed
[ "$(manifest "$run" .lost.trace_events)" = 7 ] || fail "lost $(manifest "$run" .lost.trace_events)"
said 'the profiler lost 7 events'
wpt_is_clean
fault
forget
STAGETRACE_WPR=$PWD/wpr-es record_wpt 0
[ "$(manifest "$(the_run runs)" .warnings)" = '[]' ] || fail "$(manifest "$(the_run runs)" .warnings)"

wpr_is_not_elevated
wpr_records_already
printf '%s\n' "'$STAGETRACE_WPR' -start CPU -filemode -recordtempto '$PWD/theirs' >/dev/null" >rust/stage1.sh
wpr_is_taken_meanwhile
echo true >rust/stage1.sh

while IFS='|' read -r code advice; do
	start_is_refused "$code" "$advice"
done <<'CODES'
0xc5583001|stagetrace does not end
0xc5583014|logman query -ets
0x800705aa|logman query -ets
0x80070008|lower [record] buffers
0xc5580701|wpr-profile
0xdeadbeef|wpr -start failed with 0xdeadbeef
CODES

# The recording ends by itself, as on a full disk: lost, and said so.
forget
make_wpt_checkout wpr 'echo wpr:session:end >"$STANDIN_STATE/faults"; sleep 0.2'
record_wpt 1
state_is "$(the_run runs)" failed
said 'the trace is lost'
fault
wpt_is_clean

# Somebody has cancelled it.
forget
make_wpt_checkout wpr '"$STAGETRACE_WPR" -cancel -instancename $(grep -o "stagetrace-[0-9a-f]*" "$STANDIN_LOG" | tail -n 1)'
record_wpt 1
state_is "$(the_run runs)" failed
said 'no recording runs'
wpt_is_clean

# A crash in the midst of a stop: the unmerged files are all there is.
forget
make_wpt_checkout wpr 'sleep 0.2'
fault 'wpr:stop:crash-mid#1'
record_wpt 1
run=$(the_run runs)
state_is "$run" failed
said 'the trace is lost'
[ -s "$run/raw-1.etl" ] || fail "the unmerged files are not kept: $(ls "$run")"
wpt_is_clean

stop_crashes before
stop_crashes after
stop_fills_the_disk

# The trace is there, and the interval can't be put back for a while: nothing is lost.
forget
fault 'wpr:setprofint:code=0x80004005#2 wpr:setprofint:code=0x80004005#3'
record_wpt 1
said 'the sampling interval is not restored yet'
"$STAGETRACE" recover runs/*.partial >out 2>err && fail "recovered without the interval"
recover_wpt
state_is "$(the_run runs)" "done"
[ -s "$(the_run runs)/trace.etl" ] || fail "no trace"
wpt_is_clean

printf '#!/no/such/interpreter\n' >rust/build-it
chmod +x rust/build-it
build_cannot_run ./build-it
