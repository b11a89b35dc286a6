/*
 * Checked allocation: out of memory ends the program with a message, so callers have no failure path.
 * Memory is released with free().
 */
#ifndef UTIL_ALLOC_H
#define UTIL_ALLOC_H

#include <stddef.h>

#include "util/printf_like.h"

/* End the program: memory could not be had. */
_Noreturn void alloc_fail(void);

/* Set what prints why on stderr, in a line with "out of memory". It must not allocate. NULL: the default. */
void alloc_set_explain(void (*print)(void));

/* The exit code of that; 1, or what was set. Limits of processor time (platform/cost.h) end the program with it too. */
void alloc_set_exit_code(int code);
int alloc_exit_code(void);

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);

/* Resize to `count` elements of `size` bytes; the product is checked for overflow. */
void *xreallocarray(void *ptr, size_t count, size_t size);

char *xstrdup(const char *s);

/* The first `len` bytes of `s`, NUL-terminated. */
char *xstrndup(const char *s, size_t len);

/* As xstrdup, but NULL stays NULL. */
char *xstrdup_or_null(const char *s);

/* A new string, formatted as by printf(); the caller frees it. */
char *xasprintf(const char *fmt, ...) PRINTF_LIKE(1, 2);

#endif
