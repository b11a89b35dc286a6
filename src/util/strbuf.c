#include "util/strbuf.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

char strbuf_empty[1];

void strbuf_release(struct strbuf *sb)
{
	if (sb->alloc)
		free(sb->buf);
	*sb = (struct strbuf)STRBUF_INIT;
}

void strbuf_clear(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->alloc)
		sb->buf[0] = '\0';
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s = sb->alloc ? sb->buf : xstrdup("");

	*sb = (struct strbuf)STRBUF_INIT;
	return s;
}

void strbuf_grow(struct strbuf *sb, size_t extra)
{
	size_t need = sb->len + extra + 1;
	size_t alloc = sb->alloc ? sb->alloc : 32;

	assert(need > extra);
	if (need <= sb->alloc)
		return;
	while (alloc < need)
		alloc += alloc / 2;
	sb->buf = xreallocarray(sb->alloc ? sb->buf : NULL, alloc, 1);
	if (!sb->alloc)
		sb->buf[0] = '\0';
	sb->alloc = alloc;
}

void strbuf_set_len(struct strbuf *sb, size_t len)
{
	assert(len < sb->alloc || len == 0);
	sb->len = len;
	if (sb->alloc)
		sb->buf[len] = '\0';
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	if (!len)
		return;
	strbuf_grow(sb, len);
	memcpy(sb->buf + sb->len, data, len);
	strbuf_set_len(sb, sb->len + len);
}

void strbuf_adds(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_addvf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_addvf(struct strbuf *sb, const char *fmt, va_list ap)
{
	size_t room = sb->alloc ? sb->alloc - sb->len : 0;
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(room ? sb->buf + sb->len : NULL, room, fmt, ap);
	if (len > 0 && (size_t)len >= room) {
		strbuf_grow(sb, (size_t)len);
		vsnprintf(sb->buf + sb->len, (size_t)len + 1, fmt, again);
	}
	strbuf_set_len(sb, sb->len + (len > 0 ? (size_t)len : 0));
	va_end(again);
}

void strbuf_pad(struct strbuf *sb, char c, size_t width)
{
	if (sb->len >= width)
		return;
	strbuf_grow(sb, width - sb->len);
	memset(sb->buf + sb->len, c, width - sb->len);
	strbuf_set_len(sb, width);
}

bool strbuf_ends_with(const struct strbuf *sb, const char *suffix)
{
	size_t len = strlen(suffix);

	return sb->len >= len && !memcmp(sb->buf + sb->len - len, suffix, len);
}
