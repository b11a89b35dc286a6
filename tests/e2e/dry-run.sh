#!/usr/bin/env bash
# --dry-run starts nothing, and what it prints can be pasted into a shell and does the recording.
. "$SRCDIR/tests/e2e/lib/lib.sh"

perf_works
make_checkout perf 'touch stage2-ran' 'touch stage1-ran'
sed -i "s/--stage 2/--stage 2 'an argument' \"it's\"/; s/\[stage2\]/[stage2]\nenv.COLOUR = deep blue/" test.ini
"$STAGETRACE" record --dry-run test.ini >commands 2>err || fail "$(cat err)"
[ ! -e runs ] && [ ! -e rust/stage1-ran ] || fail "something was done"
# Settings that the commands change; restoring them is left to who pastes them.
sed -n 's/^echo [0-9]* >//p' commands >settings
xargs -r -n 1 sh -c 'echo "echo $(cat "$0") >$0"' <settings >restore
# While another perf takes stacks the kernel refuses to change it, so no -e.
sh -u commands 2>shell.err || fail "the commands do not run: $(cat commands shell.err)"
sh restore 2>/dev/null || true
[ -e rust/stage1-ran ] && [ -e rust/stage2-ran ] || fail "the stages did not run"
perf report -i runs/*.partial/trace.perf.data --stats >stats 2>/dev/null || fail "no trace"
grep -q sys_enter_mmap stats || fail "the trace has no memory events"
