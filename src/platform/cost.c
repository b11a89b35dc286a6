#include "platform/cost.h"

#include <stdlib.h>

#include "platform/program.h"
#include "util/text.h"

/*
 * Stack copies of one thread are much alike: recordings of 2.8 GB were compressed to 69 MB, a 41st. Deflate and zstd make
 * up to 1,000 and 10,000 times less of what repeats.
 */
#define DECOMPRESSED_RATIO 128
#define DECOMPRESSED_FREE  (UINT64_C(64) << 20) /* for small files, whatever their ratio */

#define RAISED_MAX 1000

uint64_t cost_raised(uint64_t bytes)
{
	char *text = env_get("STAGETRACE_LIMITS");
	int64_t times;

	if (!text || !text_parse_int(text, 1, RAISED_MAX, &times))
		times = 1;
	free(text);
	return bytes < UINT64_MAX / RAISED_MAX ? bytes * (uint64_t)times : bytes;
}

uint64_t cost_decompressed_max(uint64_t compressed)
{
	uint64_t most = UINT64_MAX / RAISED_MAX / 2;

	if (compressed < most / DECOMPRESSED_RATIO)
		most = DECOMPRESSED_FREE + DECOMPRESSED_RATIO * compressed;
	return cost_raised(most);
}
