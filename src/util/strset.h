/*
 * Strings, each kept once under a small number.
 */
#ifndef UTIL_STRSET_H
#define UTIL_STRSET_H

#include <stdint.h>

#include "util/intmap.h"
#include "util/strvec.h"

struct strset {
	struct strvec strings; /* by number; each stays where it is as others come */
	struct intmap numbers; /* by hash: plus one */
};

#define STRSET_INIT \
	{ \
		STRVEC_INIT, INTMAP_INIT \
	}

void strset_release(struct strset *set);

/* Its number: 0, 1, 2, ... as they come up. */
uint32_t strset_add(struct strset *set, const char *string);

#endif
