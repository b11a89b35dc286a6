#!/usr/bin/env bash
# A program whose stack copies are mostly zeros: perf compresses them to less than a 128th. Its recording is distilled and
# can be read as any other.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works

cat >zeros.c <<'END'
#include <string.h>
#include <sys/mman.h>

#define SIZE (1 << 20)

static void map_often(void)
{
	for (int i = 0; i < 8000; i++)
		munmap(mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), SIZE);
}

int main(void)
{
	char zeros[100000];

	memset(zeros, 0, sizeof(zeros));
	__asm__ volatile("" : : "r"(zeros) : "memory");
	map_often();
	return zeros[1];
}
END
${CC:-cc} -O0 -o zeros zeros.c || fail "zeros.c does not compile"

# Memory alone: CPU samples of a busy machine are no zeros.
"$STAGETRACE" record --set record.min-free-disk=64MB --set record.buffers=64 --set record.cpu=no -- \
	./zeros >out 2>err || fail "$(cat err)"
ratio=$(sed -n 's/.*ratio is \([0-9]*\).*/\1/p' runs/*/logs/recorder.log | head -n 1)
[ "${ratio:-0}" -gt 128 ] || fail "the ratio is ${ratio:-not there}: nothing is tested: $(cat runs/*/logs/recorder.log)"
run=$(find "$PWD/runs" -mindepth 1 -maxdepth 1 -type d)
has 'stack copies replaced by their call chains' err || fail "it is not distilled: $(cat err)"
"$STAGETRACE" memory "$run.zip" --by function --format csv >functions 2>err || fail "$(cat err)"
has map_often functions || fail "no functions: $(cat functions)"
