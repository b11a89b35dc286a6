/*
 * Numbers and strings of a PDB, which are little-endian, taken from bytes in memory: nothing is taken that is not there.
 */
#ifndef SYMBOL_PDB_BYTES_H
#define SYMBOL_PDB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pdb_bytes {
	const unsigned char *at;
	size_t left;
};

static inline uint16_t pdb_get16(const unsigned char *s)
{
	return (uint16_t)(s[0] | s[1] << 8);
}

static inline uint32_t pdb_get32(const unsigned char *s)
{
	return (uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
}

/* The next `nr` bytes; NULL, and all as it was, where there are fewer. */
static inline const unsigned char *pdb_take(struct pdb_bytes *bytes, uint64_t nr)
{
	const unsigned char *at = bytes->at;

	if (nr > bytes->left)
		return NULL;
	bytes->at += nr;
	bytes->left -= (size_t)nr;
	return at;
}

static inline bool pdb_take32(struct pdb_bytes *bytes, uint32_t *value)
{
	const unsigned char *at = pdb_take(bytes, 4);

	if (at)
		*value = pdb_get32(at);
	return at;
}

/* A string that ends with a NUL among the bytes, `at` and further; NULL. */
static inline const char *pdb_string(const unsigned char *bytes, size_t nr, size_t at)
{
	return at < nr && memchr(bytes + at, 0, nr - at) ? (const char *)bytes + at : NULL;
}

#endif
