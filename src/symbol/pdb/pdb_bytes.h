/*
 * Strings among the bytes of a PDB.
 */
#ifndef SYMBOL_PDB_BYTES_H
#define SYMBOL_PDB_BYTES_H

#include <stddef.h>
#include <string.h>

#include "util/byte_cursor.h"

/* A string that ends with a NUL among the bytes, `at` and further; NULL. */
static inline const char *pdb_string(const unsigned char *bytes, size_t nr, size_t at)
{
	return at < nr && memchr(bytes + at, 0, nr - at) ? (const char *)bytes + at : NULL;
}

#endif
