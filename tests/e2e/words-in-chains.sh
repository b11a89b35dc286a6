#!/usr/bin/env bash
# Where a program has no frame pointers, the kernel takes words of its memory for addresses of callers. A recording and its
# bundles have none of them: here of the environment, to which a program points on purpose. It also leaves words in a register
# that a system call does not use: a scrubbed bundle has none of these.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
command -v zstd >/dev/null || skip "zstd is not installed"
[ "$(uname -m)" = x86_64 ] || skip "the program that is recorded is for x86-64"
cat >leak.c <<'C'
#include <stdlib.h>

/* The word after a frame pointer is the return address: all words of the secret in turn. */
int main(void)
{
	for (const char *s = getenv("A_SECRET"); s[7]; s++) {
		const unsigned long *key = (const void *)(getenv("A_KEY") + (s - getenv("A_SECRET")));
		register unsigned long unused __asm__("r8") = *key;
		long n = 20000000, mremap = 25;

		__asm__ volatile("syscall"
				 : "+a"(mremap)
				 : "D"(0L), "S"(0L), "d"(0L), "r"(unused)
				 : "rcx", "r11", "memory");

		__asm__ volatile("push %%rbp; mov %1, %%rbp; 1: dec %0; jnz 1b; pop %%rbp"
				 : "+r"(n)
				 : "r"(s - 8)
				 : "memory");
	}
	return 0;
}
C
command -v cc >/dev/null || skip "there is no compiler"
cc -O2 -fno-omit-frame-pointer -o leak leak.c 2>err || fail "$(cat err)"

export A_SECRET=qvXw7RkPz2LmT9sB A_KEY=Hd4uNc8YjEx6bGp1
# found FILE TEXT: how many words of a text are there
found() {
	local i words=()

	for ((i = 0; i + 8 <= ${#2}; i++)); do
		words+=("${2:i:8}")
	done
	python3 "$SRCDIR/tests/tools/count-in-trace.py" "$1" "${words[@]}" | awk '$1 { n++ } END { print n + 0 }'
}

perf record -q -e cpu-clock -F 999 --call-graph fp -o raw.perf.data -- ./leak >/dev/null 2>err || fail "$(cat err)"
[ "$(found raw.perf.data $A_SECRET)" -gt 2 ] || fail "perf's own trace has no words: there is nothing to be tested"

make_checkout perf '../leak'
for stacks in fp dwarf; do
	"$STAGETRACE" record --no-bundle --set record.cpu-stacks=$stacks test.ini >out 2>err || fail "$(cat err)"
	run=$(the_run runs)
	"$STAGETRACE" bundle "$run" -o plain.zip >out
	"$STAGETRACE" bundle "$run" --scrub -o scrubbed.zip >out
	for trace in "$run/trace.perf.data" plain.zip scrubbed.zip; do
		[ "$(found "$trace" $A_SECRET)" = 0 ] || fail "$stacks: $(found "$trace" $A_SECRET) words are in $trace"
	done
	[ "$(found plain.zip $A_KEY)" -gt 0 ] || fail "$stacks: the register is not in the trace: there is nothing to be tested"
	[ "$(found scrubbed.zip $A_KEY)" = 0 ] || fail "$stacks: the register is in the scrubbed bundle"
	for bundle in plain scrubbed; do
		"$STAGETRACE" memory $bundle.zip --by stack --format json >$bundle.memory
	done
	cmp plain.memory scrubbed.memory || fail "$stacks: numbers of memory differ"
	"$STAGETRACE" cpu "$run" --by process --format csv >samples
	has leak samples || fail "it was not sampled: $(cat samples)"
	rm -rf runs plain.zip scrubbed.zip
done

# A trace that was not distilled, as those of earlier versions, and has no stack copies.
"$STAGETRACE" record --no-bundle --set record.recorder=none test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
cp raw.perf.data "$run/trace.perf.data"
for options in "" --scrub; do
	# shellcheck disable=SC2086
	"$STAGETRACE" bundle "$run" $options -o old.zip --force >out 2>err || fail "$(cat err)"
	[ "$(found old.zip $A_SECRET)" = 0 ] || fail "$(found old.zip $A_SECRET) words are in the bundle $options"
done
has 'words of memory in call chains' out || fail "they are not listed: $(cat out)"
