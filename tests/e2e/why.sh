#!/usr/bin/env bash
# Real failures: a program that may not have the memory it asks for, one that the kernel ends for want of memory, one
# that is killed, a compile error.
. "$SRCDIR/tests/e2e/lib/lib.sh"

cat >eat.py <<'END'
import os, sys
held = []
try:
    for i in range(400):
        held.append(bytearray(b"x" * (16 << 20)))
except MemoryError:
    sys.stderr.write("memory allocation of 16777216 bytes failed\n")
    sys.stderr.flush()
    os.abort()
END

# why NAME COMMAND: record the command, which must fail, and say why
why() {
	"$STAGETRACE" record --out "$1" --no-bundle --set record.recorder=none -- sh -c "$2" >"$1.out" 2>&1 &&
		fail "$1 succeeded"
	"$STAGETRACE" why -q --format csv "$1"/*Z | tr -d '\r' >"$1.csv" || fail "$1: no answer"
}
has() { grep -q "$2" "$1.csv" || fail "no '$2' in: $(cat "$1.csv")"; }

why limited 'ulimit -v 400000; python3 eat.py; exit 101'
has limited '^cause,memory,yes$'
has limited '^evidence,1,python.* ended with exit code 134 (SIGABRT)'
has limited '^evidence,2,"logs/stage2.log, line [0-9]*: memory allocation of 16777216 bytes failed"'

why killed 'sh -c "kill -9 \$\$"; exit 1'
has killed '^cause,memory,unknown$'
has killed '^evidence,1,.* ended with exit code 137 (SIGKILL)'

why compile 'printf "%s\n" "error[E0308]: mismatched types" >&2; sh -c "exit 1" || exit 101'
has compile '^cause,memory,no$'
has compile '^evidence,2,"logs/stage2.log, line 1: error\[E0308\]: mismatched types"'

# A control group with a limit of 150 MB, of version 1 or 2. Not everywhere can one be made.
make_group() {
	local one two
	one=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
	two=/sys/fs/cgroup
	if [ -e "$one/memory.limit_in_bytes" ]; then
		group=$one/stagetrace-why.$$
		mkdir "$group" && echo 150000000 >"$group/memory.limit_in_bytes"
	elif grep -qsw memory $two/cgroup.subtree_control; then
		group=$two/stagetrace-why.$$
		mkdir "$group" && echo 150000000 >"$group/memory.max" && { echo 0 >"$group/memory.swap.max"; }
	else
		return 1
	fi
} 2>/dev/null
if make_group && (echo $BASHPID >"$group/cgroup.procs") 2>/dev/null; then
	trap 'rmdir "$group"' EXIT
	# Until the next reading of the group's counters, four times a second.
	(echo $BASHPID >"$group/cgroup.procs" && why group 'python3 eat.py; code=$?; sleep 1; exit $code')
	has group '^cause,memory,yes$'
	has group '^cause,because,the kernel ended it for want of memory$'
	has group '^evidence,1,python.* ended with exit code 137 (SIGKILL)'
	has group '^limits,group_limit_bytes,1499[0-9]*$\|^limits,group_limit_bytes,150000000$'
	has group '^limits,oom_kills,[1-9]'
else
	echo "no control group can be made here: a process that the kernel ends for want of memory was not tried"
fi
