#!/usr/bin/env bash
# perf is asked to read its buffers when a process of the build has ended, and not only ten times a second.
. "$SRCDIR/tests/e2e/lib/lib.sh"

mkdir bin
cp "$SRCDIR/tests/tools/fake-perf" bin/perf
export PATH=$PWD/bin:$PATH FAKE_PERF_ASKED=$PWD/asked
# It ends once the stand-in was asked more often, or fails.
make_checkout perf "i=0; while [ ! -e '$PWD/asked' ] && [ \$i -lt 1000 ]; do sleep 0.03; i=\$((i + 1)); done; [ \$i -lt 1000 ]"
"$STAGETRACE" record --no-bundle test.ini >out 2>err || fail "it is asked too rarely: $(tail -n 3 err)"
nothing_left
