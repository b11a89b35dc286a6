/*
 * UTF-8 text that may be damaged: command lines and paths are bytes, JSON and terminals want text.
 */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

/*
 * The code point at `s` (`len` > 0 bytes left) and its length in bytes; UTF8_BAD and 1 where the bytes
 * are no shortest-form UTF-8 of a Unicode scalar value.
 */
#define UTF8_BAD       UINT32_MAX
#define UTF8_BYTES_MAX 4
uint32_t utf8_next(const char *s, size_t len, size_t *used);

bool utf8_valid(const char *s, size_t len);

/* Append `s` with each bad byte replaced by U+FFFD. */
void utf8_add_clean(struct strbuf *sb, const char *s, size_t len);

/* Append `units` of little-endian UTF-16 at `bytes`, with a surrogate that has no partner replaced by U+FFFD. */
void utf8_add_utf16(struct strbuf *sb, const unsigned char *bytes, size_t units);

/* Append `s` for one line of a terminal: bad bytes as U+FFFD, control characters as \n, \t, \x1b. */
void utf8_add_printable(struct strbuf *sb, const char *s);

/* Code points in `s`, a bad byte counting as one. */
size_t utf8_length(const char *s);

/* The longest prefix of `s` with at most `count` code points, in bytes. */
size_t utf8_prefix(const char *s, size_t count);

#endif
