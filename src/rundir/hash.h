/*
 * SHA-256 of files and bytes, as lower-case hexadecimal text (nettle).
 */
#ifndef RUNDIR_HASH_H
#define RUNDIR_HASH_H

#include <nettle/sha2.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

#define HASH_TEXT_SIZE 65

/* Hash of bytes added in pieces; it owns nothing. */
struct hash {
	struct sha256_ctx sha256;
};

void hash_init(struct hash *hash);
void hash_add(struct hash *hash, const void *data, size_t len);

/* The hash of all bytes added; resets `hash`. */
void hash_text(struct hash *hash, char text[HASH_TEXT_SIZE]);

void hash_bytes(const void *data, size_t len, char text[HASH_TEXT_SIZE]);

/* Of a file below `dir` (platform/below.h); `*size` is its size in bytes. */
int hash_file(const char *dir, const char *name, char text[HASH_TEXT_SIZE], int64_t *size,
	      struct err *err);

#endif
