#include "platform/cost.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/file.h"
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
#define RECORDS_RATIO 512

#define RAISED_MAX 1000
#define VARIABLE   "STAGETRACE_LIMITS"

/* The number in a text of the environment; -1: it is none, or not allowed. */
static int64_t parse_times(const char *text)
{
	int64_t times = 1;

	return !text || text_parse_int(text, 1, RAISED_MAX, &times) ? times : -1;
}

static int64_t get_times(void)
{
	char *text = env_get(VARIABLE);
	int64_t times = parse_times(text);

	free(text);
	return times > 0 ? times : 1;
}

int cost_check(struct err *err)
{
	char *text = env_get(VARIABLE);
	int rc = 0;

	if (parse_times(text) < 0)
		rc = err_set(err, ERR_USAGE,
			     VARIABLE " must be a whole number from 1 to %d, not '%s'", RAISED_MAX,
			     text);
	free(text);
	return rc;
}

static bool trusted;

void cost_trust(void)
{
	trusted = true;
}

const char *cost_remedy(void)
{
	static _Thread_local char text[96];
	int times = (int)get_times();

	if (trusted)
		return "this limit cannot be raised further";
	if (times == RAISED_MAX)
		return "this limit cannot be raised further: " VARIABLE " is 1000";
	if (times > RAISED_MAX / 4)
		snprintf(text, sizeof(text), VARIABLE "=%d raises the limit, if you trust the file",
			 RAISED_MAX);
	else
		snprintf(text, sizeof(text),
			 VARIABLE "=%d raises the limit to four times, if you trust the file",
			 4 * times);
	return text;
}

uint64_t cost_of_file(const char *path)
{
	struct err ignored = ERR_INIT;
	struct file_at *file;
	uint64_t bytes = 0;

	if (file_at_open(path, &file, &ignored)) {
		err_clear(&ignored);
	} else {
		bytes = file_at_stored(file);
		file_at_close(file);
	}
	return bytes;
}

uint64_t cost_raised(uint64_t bytes)
{
	uint64_t times = trusted ? RAISED_MAX : (uint64_t)get_times();

	return bytes < UINT64_MAX / RAISED_MAX ? bytes * times : bytes;
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
