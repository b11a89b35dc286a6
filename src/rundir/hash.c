#include "rundir/hash.h"

#include <stdio.h>

#include "platform/below.h"

void hash_init(struct hash *hash)
{
	sha256_init(&hash->sha256);
}

void hash_add(struct hash *hash, const void *data, size_t len)
{
	sha256_update(&hash->sha256, len, data);
}

void hash_text(struct hash *hash, char text[HASH_TEXT_SIZE])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(&hash->sha256, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

void hash_bytes(const void *data, size_t len, char text[HASH_TEXT_SIZE])
{
	struct hash hash;

	hash_init(&hash);
	hash_add(&hash, data, len);
	hash_text(&hash, text);
}

struct hashed_file {
	struct hash hash;
	int64_t size;
};

static void add_part(void *data, const char *part, size_t len)
{
	struct hashed_file *file = data;

	hash_add(&file->hash, part, len);
	file->size += (int64_t)len;
}

int hash_file(const char *dir, const char *name, char text[HASH_TEXT_SIZE], int64_t *size,
	      struct err *err)
{
	struct hashed_file file = { .size = 0 };
	int rc;

	hash_init(&file.hash);
	rc = below_read_parts(dir, name, add_part, &file, err);
	if (!rc)
		hash_text(&file.hash, text);
	*size = file.size;
	return rc;
}
