/*
 * The system's strings are UTF-16, ours UTF-8. Lone surrogates, which names and arguments may have, are the three bytes
 * that UTF-8 would give them (WTF-8), so that what came from the system goes back unchanged.
 */
#ifndef PLATFORM_WINDOWS_WIDE_H
#define PLATFORM_WINDOWS_WIDE_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "util/strbuf.h"

/* A bad byte becomes U+FFFD. The caller frees it. */
wchar_t *wide_from_utf8(const char *s);

/* The caller frees it. */
char *wide_to_utf8(const wchar_t *s);

/* The first `len` units, which need no NUL behind them. */
char *wide_to_utf8_len(const wchar_t *s, size_t len);

/* A growable wide string, as util/strbuf.h has it for bytes. */
struct wide_buf {
	wchar_t *v; /* NULL while empty and new */
	size_t nr, alloc;
};

#define WIDE_BUF_INIT \
	{ \
		NULL, 0, 0 \
	}

void wide_buf_release(struct wide_buf *buf);
void wide_buf_add(struct wide_buf *buf, const wchar_t *s, size_t len);
void wide_buf_adds(struct wide_buf *buf, const wchar_t *s);
void wide_buf_addc(struct wide_buf *buf, wchar_t c);

/* Cut to `len`, which is not above what it has. */
void wide_buf_set_len(struct wide_buf *buf, size_t len);

/*
 * A path as the system takes it at any length: from 240 units on it is made absolute and gets \\?\, which lifts the
 * limit of 260 (for a directory 248). The caller frees it.
 */
wchar_t *wide_path(const char *path);

/* The same for a path that others are put behind, however deep. */
wchar_t *wide_path_any_depth(const char *path);

/* A variable of our environment; NULL where it is not set. The caller frees it. */
char *wide_getenv(const char *name);

#endif
