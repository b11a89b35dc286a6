/*
 * Findings of the preflight check: each says what was found, why it matters, and the remedy.
 */
#ifndef PROFILER_FINDING_H
#define PROFILER_FINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "util/printf_like.h"

enum finding_level {
	FINDING_OK,      /* nothing to do */
	FINDING_NOTE,    /* worth knowing */
	FINDING_WARNING, /* the recording will lack something */
	FINDING_ERROR,   /* the recording would fail or be worthless */
};

/* Texts are owned; `why` and `remedy` may be NULL for FINDING_OK. */
struct finding {
	enum finding_level level;
	char *what;
	char *why;
	char *remedy;
};

struct finding_list {
	struct finding *v;
	size_t nr, alloc;
};

#define FINDING_LIST_INIT \
	{ \
		NULL, 0, 0 \
	}

/* Add a finding and return it. `what` is a printf format; `why` and `remedy` are copied (NULL: none). */
struct finding *finding_add(struct finding_list *list, enum finding_level level, const char *why,
			    const char *remedy, const char *what, ...) PRINTF_LIKE(5, 6);

bool finding_has(const struct finding_list *list, enum finding_level level);
void finding_list_release(struct finding_list *list);

#endif
