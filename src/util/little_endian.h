/*
 * Little-endian numbers at any address.
 */
#ifndef UTIL_LITTLE_ENDIAN_H
#define UTIL_LITTLE_ENDIAN_H

#include <stdint.h>

static inline uint16_t le_get16(const unsigned char *s)
{
	return (uint16_t)(s[0] | s[1] << 8);
}

static inline uint32_t le_get32(const unsigned char *s)
{
	return s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
}

static inline uint64_t le_get64(const unsigned char *s)
{
	return le_get32(s) | (uint64_t)le_get32(s + 4) << 32;
}

static inline void le_put16(unsigned char *s, uint16_t value)
{
	s[0] = (unsigned char)value;
	s[1] = (unsigned char)(value >> 8);
}

static inline void le_put32(unsigned char *s, uint32_t value)
{
	le_put16(s, (uint16_t)value);
	le_put16(s + 2, (uint16_t)(value >> 16));
}

static inline void le_put64(unsigned char *s, uint64_t value)
{
	le_put32(s, (uint32_t)value);
	le_put32(s + 4, (uint32_t)(value >> 32));
}

#endif
