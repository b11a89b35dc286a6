/*
 * Repetitions in a piece of bytes, found by a table of where each three bytes were last.
 */
#ifndef CONVERT_XPRESS_MATCH_H
#define CONVERT_XPRESS_MATCH_H

#include <stddef.h>
#include <stdint.h>

#define XPRESS_MATCH_MIN 3
#define XPRESS_MATCH_MAX 65535 /* longer ones are told in pieces */

/* A literal byte (length 0), or `length` bytes as they were `distance` bytes before. */
struct xpress_item {
	uint32_t length, distance;
};

struct xpress_matcher {
	const unsigned char *bytes;
	size_t nr, at;
	size_t farthest;
	uint32_t last[1 << 13]; /* place plus one; 0: none */
};

void xpress_matcher_init(struct xpress_matcher *matcher, const void *bytes, size_t nr,
			 size_t farthest);

/* What is at `at`, which goes on behind it. To be asked only where `at` < `nr`. */
struct xpress_item xpress_matcher_next(struct xpress_matcher *matcher, size_t end);

#endif
