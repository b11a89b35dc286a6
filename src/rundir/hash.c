#include "rundir/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/fs.h"
#include "util/alloc.h"

#define READ_SIZE ((size_t)256 * 1024)

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

int hash_file(const char *path, char text[HASH_TEXT_SIZE], int64_t *size, struct err *err)
{
	struct hash hash;
	FILE *file = fs_open(path, "rb");
	char *buf;
	size_t len;
	int ret = 0;

	if (!file)
		return err_set_errno(err, errno, "cannot open '%s'", path);
	buf = xmalloc(READ_SIZE);
	hash_init(&hash);
	*size = 0;
	while ((len = fread(buf, 1, READ_SIZE, file)) > 0) {
		hash_add(&hash, buf, len);
		*size += (int64_t)len;
	}
	if (ferror(file))
		ret = err_set_errno(err, errno, "cannot read '%s'", path);
	else
		hash_text(&hash, text);
	free(buf);
	fclose(file);
	return ret;
}
