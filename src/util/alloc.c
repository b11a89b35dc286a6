#include "util/alloc.h"

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*explain)(void);

/* A signal handler reads it. */
static volatile sig_atomic_t exit_code = 1;

void alloc_set_exit_code(int code)
{
	exit_code = code;
}

int alloc_exit_code(void)
{
	return exit_code;
}

void alloc_set_explain(void (*print)(void))
{
	explain = print;
}

void alloc_fail(void)
{
	if (explain)
		explain();
	else
		fputs("stagetrace: out of memory: this needs more memory than the system has\n",
		      stderr);
	exit(alloc_exit_code());
}

static void *checked(void *ptr)
{
	if (!ptr)
		alloc_fail();
	return ptr;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *ptr, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return checked(NULL);
	return checked(realloc(ptr, count && size ? count * size : 1));
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t len)
{
	char *copy = xmalloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *xstrdup_or_null(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	s = xmalloc(len < 0 ? 1 : (size_t)len + 1);
	s[0] = '\0';
	va_start(ap, fmt);
	if (len >= 0)
		vsnprintf(s, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return s;
}
