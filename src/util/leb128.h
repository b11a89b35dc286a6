/*
 * Numbers of 7 bits a byte, the lowest first, as LEB128 (https://dwarfstd.org/doc/DWARF5.pdf, 7.6) and protobuf have them.
 */
#ifndef UTIL_LEB128_H
#define UTIL_LEB128_H

#include <stdint.h>

/* So many bytes has a number at most. */
#define LEB128_MAX 10

/* Write a number, of LEB128_MAX bytes at most. Returns its end. */
static inline char *leb128_put(char *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (char)(value | 0x80);
	*at++ = (char)value;
	return at;
}

#endif
