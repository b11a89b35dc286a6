/*
 * Numbers and strings of a PDB, which is little-endian, taken from bytes in memory: nothing is taken that is not there.
 */
#ifndef SYMBOL_PDB_BYTES_H
#define SYMBOL_PDB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/little_endian.h"

struct pdb_bytes {
	const unsigned char *at;
	size_t left;
};

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
		*value = le_get32(at);
	return at;
}

/* A string that ends with a NUL among the bytes, `at` and further; NULL. */
static inline const char *pdb_string(const unsigned char *bytes, size_t nr, size_t at)
{
	return at < nr && memchr(bytes + at, 0, nr - at) ? (const char *)bytes + at : NULL;
}

#endif
