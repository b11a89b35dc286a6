/*
 * Conversion between the UTF-16 strings of the system and our UTF-8. Lone surrogates, which names and arguments may
 * have, are encoded in three bytes as by WTF-8, so that strings of the system return to it unchanged.
 */
#ifndef PLATFORM_WINDOWS_WIDE_H
#define PLATFORM_WINDOWS_WIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "util/strbuf.h"

/* Invalid bytes become U+FFFD. The caller frees it. */
wchar_t *wide_from_utf8(const char *s);

/* The caller frees it. */
char *wide_to_utf8(const wchar_t *s);

/* The same of the first `len` units, which need no NUL after them. */
char *wide_to_utf8_len(const wchar_t *s, size_t len);

/* A growable wide string, like util/strbuf.h for bytes. */
struct wide_buf {
	wchar_t *v; /* NULL until something is added */
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

/* Truncate to `len`, which is at most the present length. */
void wide_buf_set_len(struct wide_buf *buf, size_t len);

/*
 * A path for the system, of any length: one of 240 units or more is made absolute and gets the prefix \\?\, which
 * lifts the limit of 260 (for a directory 248). The caller frees it.
 */
wchar_t *wide_path(const char *path);

/* The same for a directory, whatever the length of the paths that are made by appending to it. */
wchar_t *wide_path_any_depth(const char *path);

/* A variable of our environment; NULL if it is not set. The caller frees it. */
char *wide_getenv(const char *name);

/* The syntax of paths on Windows: two separators, drives, shares. */

bool path_is_separator(char c);

/*
 * The length of the root of a path, with its separator: "/" 1, "C:" 2, "C:\" 3, all of "\\server\share\" and
 * "\\?\C:\". 0 for a relative path.
 */
size_t path_root_length(const char *path);

/* Whether the name ends with .exe, .com, .bat or .cmd: the system can start such files. */
bool path_is_program(const char *path);

/* Whether the name ends with .bat or .cmd, which cmd.exe runs. */
bool path_is_batch(const char *path);

#endif
