/*
 * Classes and case of ASCII characters, independent of the locale. Other bytes are in no class and have no case.
 */
#ifndef UTIL_ASCII_H
#define UTIL_ASCII_H

#include <stdbool.h>

static inline bool ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool ascii_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool ascii_is_letter_or_digit(char c)
{
	return ascii_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The value of a hexadecimal digit, else -1. Lower case only, as stagetrace and the kernel write it. */
static inline int ascii_hex_digit(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
