/*
 * Reads text in which characters may be written as escapes: %41, \x41, \u0041, \u{41} and \101 are A.
 * A terminal escape sequence, such as \e[1;32m, is read as one character, ESC.
 */
#ifndef UTIL_UNESCAPE_H
#define UTIL_UNESCAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/strbuf.h"

/* Whether an escape may begin with this character. */
static inline bool unescape_is_special(char c)
{
	return c == '%' || c == '\\' || c == 0x1b;
}

/*
 * Append the character at `i`, as UTF-8, and return the number of bytes that it has in `s`. Other control characters are
 * not decoded.
 */
size_t unescape_next(const char *s, size_t len, size_t i, struct strbuf *to);

/* The number of bytes of a terminal escape sequence; 0: none is at `i`. */
size_t unescape_sequence(const char *s, size_t len, size_t i);

/* Append the whole text. False: it has no escapes, and nothing was appended. */
bool unescape_text(const char *s, size_t len, struct strbuf *to);

#endif
