/*
 * Any bytes as a perf.data file: walked at once, and while it grows, to the same counts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "profiler/perf_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct perf_data_walk walk_bytes(const uint8_t *data, size_t size,
					struct perf_data_walk walk)
{
	FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");

	if (!file)
		abort();
	perf_data_walk(file, &walk);
	fclose(file);
	return walk;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_data_walk none = { 0 }, once, twice;

	if (!size)
		return 0;
	once = walk_bytes(data, size, none);
	if (once.lost < 0 || once.records < 0 || once.offset < 0 ||
	    (once.records && once.offset > (int64_t)size))
		abort();
	if (size > 1) {
		twice = walk_bytes(data, size / 2, none);
		if (twice.lost > once.lost || twice.records > once.records)
			abort();
		twice = walk_bytes(data, size, twice);
		if (twice.damaged == once.damaged &&
		    (twice.lost != once.lost || twice.records != once.records ||
		     twice.offset != once.offset))
			abort();
	}
	return 0;
}
