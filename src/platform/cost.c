#include "platform/cost.h"

#include <stdbool.h>
#include <stdlib.h>

#include "platform/program.h"
#include "util/text.h"

/* Deflate and zstd make up to 1,000 and 10,000 times less of what repeats. */
#define DECOMPRESSED_RATIO 128
#define DECOMPRESSED_FREE  (UINT64_C(64) << 20) /* for small files, whatever their ratio */

/*
 * perf's compressed records. Stack copies of one thread are much alike: stage 2 builds were compressed to a 41st, small
 * programs whose stacks are mostly zeros to a 443rd. Unlike a member of a bundle they are never all in memory or on the
 * disk.
 */
#define RECORDS_RATIO 1024

#define RAISED_MAX 1000

static bool trusted;

void cost_trust(void)
{
	trusted = true;
}

uint64_t cost_raised(uint64_t bytes)
{
	char *text = env_get("STAGETRACE_LIMITS");
	int64_t times;

	if (trusted)
		times = RAISED_MAX;
	else if (!text || !text_parse_int(text, 1, RAISED_MAX, &times))
		times = 1;
	free(text);
	return bytes < UINT64_MAX / RAISED_MAX ? bytes * (uint64_t)times : bytes;
}

static uint64_t decompressed_max(uint64_t compressed, uint64_t ratio)
{
	uint64_t most = UINT64_MAX / RAISED_MAX / 2;

	if (compressed < most / ratio)
		most = DECOMPRESSED_FREE + ratio * compressed;
	return cost_raised(most);
}

uint64_t cost_decompressed_max(uint64_t compressed)
{
	return decompressed_max(compressed, DECOMPRESSED_RATIO);
}

uint64_t cost_records_max(uint64_t compressed)
{
	return decompressed_max(compressed, RECORDS_RATIO);
}
