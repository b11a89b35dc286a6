#!/usr/bin/env bash
# Other programs take no more of the machine than it has while a build of 0.2 s runs, though perf needs two seconds more.
# kind: cpu
. "$SRCDIR/tests/e2e/lib/lib.sh"

mkdir bin
cp "$SRCDIR/tests/tools/fake-perf" bin/perf
export PATH=$PWD/bin:$PATH FAKE_PERF=slow
make_checkout perf 'sleep 0.2'
timeout 60 sh -c 'while :; do :; done' &
other=$!
"$STAGETRACE" record --no-bundle test.ini >out 2>err || fail "$(cat err)"
kill $other
run=$(the_run runs)
wall=$(($(manifest "$run" .stage2.end_ns) - $(manifest "$run" .stage2.start_ns)))
foreign=$(manifest "$run" .foreign.cpu_ns)
[ "$foreign" -gt 0 ] || fail "nothing else ran: $foreign"
[ "$foreign" -le $((wall * $(nproc) * 12 / 10)) ] || fail "others took $foreign ns of a build of $wall ns"
nothing_left
