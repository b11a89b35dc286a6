/*
 * Characters of ASCII, whatever the locale is. All others are none of these, and stay as they are.
 */
#ifndef UTIL_ASCII_H
#define UTIL_ASCII_H

#include <stdbool.h>

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Between words of a line. */
static inline bool ascii_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Of 0 to 9 and a to f, as we and the kernel write them; -1. */
static inline int ascii_hex_digit(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
