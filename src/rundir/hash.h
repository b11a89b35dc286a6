/*
 * SHA-256 of files and bytes, as lower-case hexadecimal text (nettle).
 */
#ifndef RUNDIR_HASH_H
#define RUNDIR_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define HASH_TEXT_SIZE 65

void hash_bytes(const void *data, size_t len, char text[HASH_TEXT_SIZE]);

/* Also gives the size that was hashed. */
int hash_file(const char *path, char text[HASH_TEXT_SIZE], int64_t *size, struct err *err);

#endif
