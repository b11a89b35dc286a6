/*
 * A way along bytes that came from a file: nothing is taken that is not there.
 */
#ifndef TRACE_PERF_CURSOR_H
#define TRACE_PERF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/perf/perf_format.h"

struct perf_cursor {
	const unsigned char *at;
	size_t left;
};

/* The next `nr` bytes; NULL, and all as it was, where there are fewer. */
static inline const unsigned char *perf_take(struct perf_cursor *cursor, uint64_t nr)
{
	const unsigned char *at = cursor->at;

	if (nr > cursor->left)
		return NULL;
	cursor->at += nr;
	cursor->left -= (size_t)nr;
	return at;
}

static inline bool perf_take32(struct perf_cursor *cursor, uint32_t *value)
{
	const unsigned char *at = perf_take(cursor, 4);

	if (at)
		*value = le_get32(at);
	return at;
}

#endif
