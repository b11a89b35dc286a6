/*
 * A set of strings, numbered from 0 in the order of adding.
 */
#ifndef UTIL_STRSET_H
#define UTIL_STRSET_H

#include <stdint.h>

#include "util/hash_index.h"
#include "util/strvec.h"

struct strset {
	struct strvec strings; /* by number; the bytes of a string are never moved */
	struct hash_index index;
};

#define STRSET_INIT \
	{ \
		STRVEC_INIT, HASH_INDEX_INIT \
	}

void strset_release(struct strset *set);

/* The number of a string, added if it is new. */
uint32_t strset_add(struct strset *set, const char *string);

/* The number of a string; STRSET_NONE: it was not added. */
#define STRSET_NONE HASH_INDEX_NONE
uint32_t strset_find(const struct strset *set, const char *string);

#endif
