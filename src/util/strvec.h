/*
 * A growable array of strings, always NULL-terminated, so that it can be passed as argv. Strings are copied;
 * only strvec_push_nodup() takes ownership instead.
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

/* Make it empty, but keep the memory for reuse. */
void strvec_clear(struct strvec *sv);

/* The same for a list of borrowed strings, which strvec_push_nodup() added: they are not freed. */
void strvec_forget(struct strvec *sv);

void strvec_push(struct strvec *sv, const char *s);
void strvec_push_nodup(struct strvec *sv, char *s);
void strvec_pushf(struct strvec *sv, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Add `nr` strings as strvec_push_nodup() does, which the caller sets: returns the place of the first one. */
char **strvec_add_room(struct strvec *sv, size_t nr);

/* Push all strings of `from`, which must not be `sv` itself. */
void strvec_push_all(struct strvec *sv, const struct strvec *from);

/* Remove the element at index `at`. */
void strvec_remove(struct strvec *sv, size_t at);

/* Sort by bytes, independent of the locale. */
void strvec_sort(struct strvec *sv);

#endif
