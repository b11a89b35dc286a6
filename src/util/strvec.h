/*
 * A growable array of strings, always NULL-terminated, fit to pass as argv. Strings are copied in;
 * the one exception is strvec_push_nodup(), which takes the caller's allocation.
 */
#ifndef UTIL_STRVEC_H
#define UTIL_STRVEC_H

#include <stddef.h>

#include "util/printf_like.h"

struct strvec {
	char **v;
	size_t nr;
	size_t alloc;
};

extern char *strvec_empty[];

#define STRVEC_INIT \
	{ \
		strvec_empty, 0, 0 \
	}

void strvec_release(struct strvec *sv);

/* Empty, with the memory kept for the next use. */
void strvec_clear(struct strvec *sv);

void strvec_push(struct strvec *sv, const char *s);
void strvec_push_nodup(struct strvec *sv, char *s);
void strvec_pushf(struct strvec *sv, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Push all of `from`; may not be `sv` itself. */
void strvec_push_all(struct strvec *sv, const struct strvec *from);

/* Drop the element at `at`. */
void strvec_remove(struct strvec *sv, size_t at);

/* Bytewise. */
void strvec_sort(struct strvec *sv);

#endif
