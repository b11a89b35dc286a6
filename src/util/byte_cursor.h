/*
 * A way along little-endian bytes that came from a file: nothing is taken that is not there.
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

/* The next `nr` bytes; NULL, and all as it was, where there are fewer. */
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

#endif
