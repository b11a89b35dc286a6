#!/usr/bin/env bash
# A program whose stack copies are mostly zeros: perf compresses them to less than a 128th. Its recording is distilled and
# can be read as any other.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works

# Memory alone: CPU samples of a busy machine are no zeros.
"$STAGETRACE" record --set record.min-free-disk=64MB --set record.buffers=64 --set record.cpu=no -- \
	python3 -c 'x = [b"z" * i for i in range(22000)]' >out 2>err || fail "$(cat err)"
ratio=$(sed -n 's/.*ratio is \([0-9]*\).*/\1/p' runs/*/logs/recorder.log | head -n 1)
[ "${ratio:-0}" -gt 128 ] || fail "the ratio is ${ratio:-not there}: nothing is tested: $(cat runs/*/logs/recorder.log)"
run=$(find "$PWD/runs" -mindepth 1 -maxdepth 1 -type d)
has 'stack copies replaced by their call chains' err || fail "it is not distilled: $(cat err)"
"$STAGETRACE" memory "$run.zip" --by function --format csv >functions 2>err || fail "$(cat err)"
[ "$(wc -l <functions)" -gt 3 ] || fail "no functions: $(cat functions)"
