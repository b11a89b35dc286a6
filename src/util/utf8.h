/*
 * UTF-8 text that may be invalid: command lines and paths are any bytes, but JSON and terminals need text.
 */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/strbuf.h"

/*
 * Decode the code point at `s` (`len` bytes, at least 1); `*used` is its length in bytes. If the bytes are not
 * the shortest UTF-8 form of a Unicode scalar value: UTF8_BAD and 1.
 */
#define UTF8_BAD       UINT32_MAX
#define UTF8_BYTES_MAX 4
uint32_t utf8_next(const char *s, size_t len, size_t *used);

/*
 * Whether the code point may control a terminal instead of being shown: control characters, and those that change the
 * direction of the text after them, end a line or a paragraph, or are invisible.
 */
bool utf8_is_control(uint32_t c);

bool utf8_valid(const char *s, size_t len);

/* Append `s` with each bad byte replaced by U+FFFD. */
void utf8_add_clean(struct strbuf *sb, const char *s, size_t len);

/* Append UTF-16, little-endian, of `units` 16-bit units as UTF-8; an unpaired surrogate becomes U+FFFD. */
void utf8_add_utf16(struct strbuf *sb, const unsigned char *bytes, size_t units);

/*
 * Append `s` so that it prints on one line and cannot control a terminal: bad bytes as U+FFFD, what utf8_is_control() names
 * as \n, \t, \x1b, \u202e, \U000e0001. Doing it twice is the same as once.
 */
void utf8_add_printable(struct strbuf *sb, const char *s);

/* The number of code points in `s`; a bad byte counts as one. */
size_t utf8_length(const char *s);

/* The length, in bytes, of the first `count` code points of `s`, or of `s` if it has fewer. */
size_t utf8_prefix(const char *s, size_t count);

#endif
