#!/usr/bin/env bash
# The disk fills up while recording, and while bundling: what was recorded is saved, an error says what to do, and
# no incomplete file has a final name.
. "$SRCDIR/tests/e2e/lib/lib.sh"

[ "$(id -u)" = 0 ] || skip "mounting a small file system needs root"
mkdir small
mount -t tmpfs -o size=8m none small 2>/dev/null || skip "tmpfs can't be mounted here"
trap 'umount "$TESTDIR/small"' EXIT

make_checkout none "sleep 1; dd if=/dev/zero of=$TESTDIR/small/filler bs=1M count=7 2>/dev/null; sleep 1000"
rc=0
"$STAGETRACE" record --out small/runs --set record.min-free-disk=4MB test.ini >out 2>err || rc=$?
[ $rc = 1 ] || fail "exit code $rc: $(cat err)"
grep -q "the disk is nearly full" err || fail "$(cat err)"
run=$(the_run small/runs)
state_is "$run" failed
processes_are_whole "$run"
nothing_left

# Bundling: the run holds what can't be packed into the room that is left.
rm -rf small/runs small/filler
make_checkout none 'head -c 2500000 /dev/urandom | base64 -w0'
rc=0
"$STAGETRACE" record --out small/runs --set record.min-free-disk=4MB test.ini >out 2>err || rc=$?
state_is "$(the_run small/runs)" "done"
rm -f small/runs/*.zip
dd if=/dev/zero of=small/filler bs=64K 2>/dev/null || true
truncate -s -1M small/filler
rc=0
"$STAGETRACE" bundle "$(the_run small/runs)" >out 2>err || rc=$?
[ $rc = 1 ] || fail "bundling ended with $rc: $(cat out err)"
grep -qi "no space" err || fail "$(cat err)"
[ -z "$(find small/runs -maxdepth 1 -type f)" ] || fail "left: $(ls small/runs)"
rm small/filler
"$STAGETRACE" bundle "$(the_run small/runs)" >out 2>err || fail "$(cat err)"

# The trace of a scrubbed bundle is written in the directory for temporary files.
cp -r "$SRCDIR/tests/data/traced-run" traced
dd if=/dev/zero of=small/filler bs=4K 2>/dev/null || true
rc=0
TMPDIR=$TESTDIR/small "$STAGETRACE" bundle traced --scrub -o traced.zip >out 2>err || rc=$?
[ $rc = 1 ] || fail "bundling ended with $rc: $(cat out err)"
grep -q "cannot write '$TESTDIR/small': No space left on device (TMPDIR chooses another directory" err || fail "$(cat err)"
[ ! -e traced.zip ] || fail "an incomplete bundle is left"
