/*
 * A growable byte string. `buf` is always NUL-terminated and never NULL, `len` does not count the NUL,
 * so `buf` may be printed at any time and may contain NUL bytes.
 */
#ifndef UTIL_STRBUF_H
#define UTIL_STRBUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/printf_like.h"

struct strbuf {
	char *buf;
	size_t len;
	size_t alloc; /* 0: `buf` is the shared empty string */
};

extern char strbuf_empty[];

#define STRBUF_INIT \
	{ \
		strbuf_empty, 0, 0 \
	}

void strbuf_release(struct strbuf *sb);

/* Make it empty, but keep the memory for reuse. */
void strbuf_clear(struct strbuf *sb);

/* Return the string, which the caller frees; `sb` is empty then. */
char *strbuf_detach(struct strbuf *sb);

/* Make room for `extra` bytes and a NUL at buf + len. */
void strbuf_grow(struct strbuf *sb, size_t extra);

/* Set the length: to truncate, or after writing into room that strbuf_grow() made. `len` must be below `alloc`, or 0. */
void strbuf_set_len(struct strbuf *sb, size_t len);

void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_adds(struct strbuf *sb, const char *s);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_addvf(struct strbuf *sb, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);

static inline void strbuf_addc(struct strbuf *sb, char c)
{
	if (sb->alloc - sb->len < 2)
		strbuf_grow(sb, 1);
	sb->buf[sb->len++] = c;
	sb->buf[sb->len] = '\0';
}

/* Append `c` until the length is at least `width`. */
void strbuf_pad(struct strbuf *sb, char c, size_t width);

bool strbuf_ends_with(const struct strbuf *sb, const char *suffix);

#endif
