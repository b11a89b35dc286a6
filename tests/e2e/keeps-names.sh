#!/usr/bin/env bash
# Function names and lines are kept when a recording ends, and stack copies are unwound: views have them when the program
# was removed, and from a bundle.
. "$SRCDIR/tests/e2e/lib/lib.sh"

perf_works
mkdir -p rust
cat >rust/holder.c <<'C'
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SIZE ((size_t)32 << 20)

static volatile unsigned int sink;

static inline __attribute__((always_inline)) unsigned int inlined_step(unsigned int x)
{
	return x * 1103515245u + 12345u;
}

__attribute__((noinline)) static void burn_cycles(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 2;

	while (clock() < end) {
		for (int i = 0; i < 100000; i++)
			sink = inlined_step(sink);
	}
}

__attribute__((noinline)) static char *hold_memory(void)
{
	char *memory = malloc(SIZE);

	memset(memory, 1, SIZE);
	return memory;
}

int main(void)
{
	char *memory = hold_memory();

	burn_cycles();
	free(memory);
	return 0;
}
C
make_checkout perf 'gcc -g -O1 -fno-omit-frame-pointer -o holder holder.c && ./holder'
"$STAGETRACE" record test.ini >out 2>err || fail "$(cat err)"
run=$(the_run runs)
for file in functions lines; do
	[ -s "$run/symbols/$file.txt" ] || fail "no symbols/$file.txt"
done
rm rust/holder rust/holder.c

check() {
	"$STAGETRACE" cpu "$1" --process holder --by function --format json >cpu.json
	"$STAGETRACE" memory "$1" --process holder --by stack --format json >memory.json
	python3 - <<'PY'
import json
cpu = {row["function"]: row for row in json.load(open("cpu.json"))}
assert cpu["burn_cycles"]["self_ns"] > 200e6, cpu
assert cpu["main"]["total_ns"] >= cpu["burn_cycles"]["self_ns"], cpu["main"]
held = [row for row in json.load(open("memory.json")) if "hold_memory" in row["stack"]]
largest = max(held, key=lambda row: row["size_bytes"])
assert 32 << 20 <= largest["size_bytes"] <= (32 << 20) + 8192, held
stack = largest["stack"]
assert "_start" in stack and stack.index("_start") < stack.index("main") < stack.index("hold_memory"), stack
PY
}

check "$run"
check "$run.zip"
nothing_left
