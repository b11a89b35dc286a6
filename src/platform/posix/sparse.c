#include "platform/posix/sparse.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "platform/cost.h"

uint64_t sparse_stored(int fd, const struct stat *st)
{
	uint64_t size = (uint64_t)st->st_size, stored = 0;
	off_t at = 0, end;

	/* Compression makes blocks few, not data. */
	if ((uint64_t)st->st_blocks >= size / 512)
		return size;
	while ((at = lseek(fd, at, SEEK_DATA)) >= 0 && (end = lseek(fd, at, SEEK_HOLE)) > at) {
		stored += (uint64_t)(end - at);
		at = end;
	}
	if (at < 0 && errno != ENXIO)
		stored = size;
	lseek(fd, 0, SEEK_SET);
	return stored < size ? stored : size;
}

int sparse_check(int fd, const struct stat *st, const char *path, struct err *err)
{
	uint64_t size = (uint64_t)st->st_size, stored = sparse_stored(fd, st);

	if (size <= cost_decompressed_max(stored))
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "'%s' is sparse: it is %llu MB long with %llu MB stored, and the limit for "
		       "that is a length of %llu MB: copy it without holes (cp --sparse=never); %s",
		       path, (unsigned long long)size >> 20, (unsigned long long)stored >> 20,
		       (unsigned long long)cost_decompressed_max(stored) >> 20, cost_remedy());
}
