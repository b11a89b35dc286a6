/*
 * Base64 (RFC 4648, section 4).
 */
#ifndef UTIL_BASE64_H
#define UTIL_BASE64_H

#include <stddef.h>

/* The length of the text of `nr` bytes, with padding. */
#define BASE64_LENGTH(nr) (((nr) + 2) / 3 * 4)

/* Write the text of bytes, without a NUL: texts of multiples of three bytes may follow each other. */
void base64_encode(char *text, const unsigned char *bytes, size_t nr);

#endif
