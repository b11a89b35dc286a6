#!/usr/bin/env bash
# Touched memory: a program whose functions write known amounts, with malloc of the C library and with jemalloc, whose heap
# is not committed memory. Shares of the functions, and the sum against what the kernel says of the process.
# kind: waits
. "$SRCDIR/tests/e2e/lib/lib.sh"
perf_works
[ -r /sys/kernel/tracing/events/exceptions/page_fault_user/id ] || skip "the kernel has no tracepoints of page faults"
command -v cc >/dev/null || skip "cc is not installed"

cat >toucher.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MB (1 << 20)
#define OWN __attribute__((noinline)) static void

static char *map(size_t nr)
{
	return mmap(NULL, nr, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Small pieces from malloc. */
OWN writes_120(void)
{
	for (int i = 0; i < 120 * 1024; i++)
		memset(malloc(1000), 1, 1000);
}

OWN writes_60(void)
{
	for (int i = 0; i < 600; i++)
		memset(malloc(100 << 10), 1, 100 << 10);
}

/* The kernel writes: the faults are its own. */
OWN reads_zeros_50(void)
{
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 50; i++)
		if (read(fd, malloc(MB), MB) != MB)
			exit(1);
	close(fd);
}

/* Read first: the page of zeros costs nothing until it is written. */
OWN reads_80_then_writes_30(void)
{
	char *memory = map(80 * MB);
	int sum = 0;

	for (size_t i = 0; i < 80 * MB; i += 4096)
		sum += memory[i];
	memset(memory, 1 + sum, 30 * MB);
}

/* Asked for and never written. */
OWN asks_for_90(void)
{
	for (int i = 0; i < 90; i++)
		if (!malloc(MB))
			exit(1);
}

/* Given back, in two ways; 20 MB stay. */
OWN writes_70_keeps_20(void)
{
	char *memory = map(70 * MB);

	memset(memory, 1, 70 * MB);
	madvise(memory + 20 * MB, 30 * MB, MADV_DONTNEED);
	munmap(memory + 50 * MB, 20 * MB);
}

/* Moved, with what was written. */
OWN moves_40(void)
{
	char *memory = map(40 * MB);

	memset(memory, 1, 40 * MB);
	if (mremap(memory, 40 * MB, 400 * MB, MREMAP_MAYMOVE) == MAP_FAILED)
		exit(1);
}

/* Large pages: a fault for 2 MB. */
OWN writes_large_64(void)
{
	char *memory = map(66 * MB);

	memory += 2 * MB - (size_t)memory % (2 * MB);
	madvise(memory, 64 * MB, MADV_HUGEPAGE);
	memset(memory, 1, 64 * MB);
}

/* Shared with another process: no private memory. */
OWN shares_25(void)
{
	memset(mmap(NULL, 25 * MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), 1, 25 * MB);
}

static long resident(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[200];
	long bytes = 0;

	while (status && fgets(line, sizeof(line), status))
		if (!strncmp(line, "RssAnon:", 8))
			bytes = atol(line + 8) * 1024;
	return bytes;
}

int main(int argc, char **argv)
{
	const char *pages = getenv("READS_MAKE_PAGES");

	(void)argv;
	if (argc > 1) {
		volatile char *memory = map(80 * MB);
		int sum = 0;

		for (size_t i = 0; i < 80 * MB; i += 4096)
			sum += memory[i];
		printf("%ld\n", resident() + sum);
		return 0;
	}
	writes_70_keeps_20(); /* first: the peak is at the end */
	writes_120();
	writes_60();
	reads_zeros_50();
	if (!pages || !*pages)
		reads_80_then_writes_30();
	asks_for_90();
	moves_40();
	writes_large_64();
	shares_25();
	fprintf(stderr, "anon %ld\n", resident());
	return 0;
}
C
cc -O1 -g -o toucher toucher.c || fail "toucher.c"
# Linux shows a page of zeros to who only reads; some systems make a page at once, whose write is no fault.
export READS_MAKE_PAGES=
if [ "$(./toucher read)" -gt $((40 << 20)) ]; then
	READS_MAKE_PAGES=yes
	echo "here a read makes a page of its own: memory that is first read is not tried"
fi

# record NAME ALLOCATOR: a run in NAME; ALLOCATOR is preloaded by the program alone.
record() {
	"$STAGETRACE" record --out "$TESTDIR/$1" --set record.min-free-disk=64MB --set record.buffers=16 --no-bundle \
		-- env ${2:+LD_PRELOAD=$2} ./toucher >"$1.out" 2>"$1.err" || fail "$(cat "$1.err")"
	run=$(the_run "$TESTDIR/$1")
	anon=$(sed -n 's/^anon //p' "$run/logs/stage2.log")
	[ -n "$anon" ] || fail "the program did not say its resident memory: $(cat "$run/logs/stage2.log")"
	"$STAGETRACE" memory "$run" --of touched --by function --process toucher --at peak --format json >"$1.json" 2>"$1.err" ||
		fail "$(cat "$1.err")"
	"$STAGETRACE" memory "$run" --of touched --by process --process toucher --format json >"$1-process.json"
	"$STAGETRACE" memory "$run" --by process --process toucher --format json >"$1-commit.json"
	ANON=$anon NAME=$1 python3 - <<'PY' || fail "$1: not what the program wrote"
import json, os, sys

name, anon = os.environ["NAME"], int(os.environ["ANON"])
with open(name + ".json") as file:
    rows = json.load(file)
MB = 1 << 20
expected = {"writes_120": 120 * 1000 / 1024, "writes_60": 60 * 1e3 / 1024, "reads_zeros_50": 50, "reads_80_then_writes_30": 30,
            "writes_70_keeps_20": 20, "moves_40": 40, "writes_large_64": 64}
if os.environ["READS_MAKE_PAGES"]:
    del expected["reads_80_then_writes_30"]
total = sum(row["outstanding_bytes"] for row in rows)
held = {row["function"]: row["outstanding_bytes"] for row in rows}
failed = False
for function, mb in sorted(expected.items()):
    share, wanted = held.get(function, 0) / total, mb / sum(expected.values())
    good = abs(share - wanted) <= 0.03
    failed |= not good
    print("%s %s %s: %.1f MB, share %.3f, wanted %.3f" % ("ok   " if good else "WRONG", name, function, held.get(function, 0) / MB, share, wanted))
for function in "asks_for_90", "shares_25":
    failed |= held.get(function, 0) > 2 * MB
with open(name + "-process.json") as file:
    process = [row for row in json.load(file) if row["image"] == "toucher"][0]
with open(name + "-commit.json") as file:
    commit = [row for row in json.load(file) if row["image"] == "toucher"][0]
held_at_end = total
print("%s: resident, without files %.1f MB, touched %.1f MB, peak %.1f, committed %.1f MB" % (
    name, anon / MB, held_at_end / MB, process["peak_bytes"] / MB, commit["peak_bytes"] / MB))
failed |= abs(held_at_end - anon) > 0.05 * anon
failed |= process["peak_bytes"] < held_at_end
failed |= not 0 < process["error_bytes"] < 0.05 * process["peak_bytes"]
sys.exit(failed)
PY
}

record libc
jemalloc=$(find /usr/lib -name libjemalloc.so.2 2>/dev/null | head -1)
if [ -n "$jemalloc" ]; then
	record jemalloc "$jemalloc"
else
	echo "libjemalloc2 is not installed: not tried"
fi

# Every key, format and the export show it; a run without it says so.
for by in role part crate module stack; do
	"$STAGETRACE" memory "$run" --of touched --by $by >text 2>err || fail "--by $by: $(cat err)"
	has '^estimate from [0-9]* pages, one in 32' text || fail "--by $by: $(cat text)"
done
"$STAGETRACE" export "$run" --of touched --metric at-peak >folded 2>err || fail "$(cat err)"
has '^_start;.*main;writes_120' folded || fail "not in the folded stacks: $(head -3 folded)"
"$STAGETRACE" record --out "$TESTDIR/none" --set record.touched=no --set record.min-free-disk=64MB --no-bundle -- true >out 2>err ||
	fail "$(cat err)"
rc=0
"$STAGETRACE" memory "$(the_run "$TESTDIR/none")" --of touched 2>err || rc=$?
[ $rc = 1 ] && has "it has no page faults: perf record needs the events" err || fail "exit code $rc: $(cat err)"
nothing_left
