/*
 * Numbers of ETL files: little-endian, at any address.
 */
#ifndef TRACE_ETL_BYTES_H
#define TRACE_ETL_BYTES_H

#include <stdint.h>

static inline uint16_t etl_get16(const unsigned char *s)
{
	return (uint16_t)(s[0] | s[1] << 8);
}

static inline uint32_t etl_get32(const unsigned char *s)
{
	return s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
}

static inline uint64_t etl_get64(const unsigned char *s)
{
	return etl_get32(s) | (uint64_t)etl_get32(s + 4) << 32;
}

/* A pointer of `size` bytes, 4 or 8. */
static inline uint64_t etl_get_pointer(const unsigned char *s, unsigned size)
{
	return size == 4 ? etl_get32(s) : etl_get64(s);
}

#endif
