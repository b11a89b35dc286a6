#!/usr/bin/env bash
# Where a program has no frame pointers, the kernel takes words of its memory for addresses of callers. A recording and its
# bundles have none of them: here of the environment, to which a program points on purpose.
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
		long n = 20000000;

		__asm__ volatile("push %%rbp; mov %1, %%rbp; 1: dec %0; jnz 1b; pop %%rbp"
				 : "+r"(n)
				 : "r"(s - 8)
				 : "memory");
	}
	return 0;
}
C
"${CC:-cc}" -O2 -fno-omit-frame-pointer -o leak leak.c 2>err || skip "there is no compiler: $(cat err)"

export A_SECRET=qvXw7RkPz2LmT9sB
words=()
for ((i = 0; i + 8 <= ${#A_SECRET}; i++)); do
	words+=("${A_SECRET:i:8}")
done
# How many of the words are there.
found() { python3 "$SRCDIR/tests/tools/count-in-trace.py" "$1" "${words[@]}" | awk '$1 { n++ } END { print n + 0 }'; }

perf record -q -e cpu-clock -F 999 --call-graph fp -o raw.perf.data -- ./leak >/dev/null 2>err || fail "$(cat err)"
[ "$(found raw.perf.data)" -gt 2 ] || fail "perf's own trace has no words: there is nothing to be tested"

make_checkout perf '../leak'
for stacks in fp dwarf; do
	"$STAGETRACE" record --no-bundle --set record.cpu-stacks=$stacks test.ini >out 2>err || fail "$(cat err)"
	run=$(the_run runs)
	"$STAGETRACE" bundle "$run" -o plain.zip >out
	"$STAGETRACE" bundle "$run" --scrub -o scrubbed.zip >out
	for trace in "$run/trace.perf.data" plain.zip scrubbed.zip; do
		[ "$(found "$trace")" = 0 ] || fail "$stacks: $(found "$trace") of ${#words[@]} words are in $trace"
	done
	"$STAGETRACE" cpu "$run" --by process --format csv >samples
	has leak samples || fail "it was not sampled: $(cat samples)"
	rm -rf runs plain.zip scrubbed.zip
done

# A trace that was not distilled, as those of earlier versions.
"$STAGETRACE" record --no-bundle --set record.recorder=none test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
cp raw.perf.data "$run/trace.perf.data"
"$STAGETRACE" bundle "$run" --scrub -o scrubbed.zip >out 2>err || fail "$(cat err)"
[ "$(found scrubbed.zip)" = 0 ] || fail "$(found scrubbed.zip) of ${#words[@]} words are in the scrubbed bundle"
