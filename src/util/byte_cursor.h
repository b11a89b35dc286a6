/*
 * A cursor over bytes in memory: reads them in sequence, with bounds checks. Numbers are little-endian.
 */
#ifndef UTIL_BYTE_CURSOR_H
#define UTIL_BYTE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/little_endian.h"

struct byte_cursor {
	const unsigned char *at;
	size_t left;
};

/* Return the next `nr` bytes and advance. If fewer are left, return NULL and leave the cursor unchanged. */
static inline const unsigned char *byte_cursor_take(struct byte_cursor *cursor, uint64_t nr)
{
	const unsigned char *at = cursor->at;

	if (nr > cursor->left)
		return NULL;
	cursor->at += nr;
	cursor->left -= (size_t)nr;
	return at;
}

static inline bool byte_cursor_take32(struct byte_cursor *cursor, uint32_t *value)
{
	const unsigned char *at = byte_cursor_take(cursor, 4);

	if (at)
		*value = le_get32(at);
	return at;
}

static inline bool byte_cursor_take64(struct byte_cursor *cursor, uint64_t *value)
{
	const unsigned char *at = byte_cursor_take(cursor, 8);

	if (at)
		*value = le_get64(at);
	return at;
}

#endif
