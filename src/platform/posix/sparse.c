#include "platform/posix/sparse.h"

#include <stdint.h>
#include <unistd.h>

#include "platform/cost.h"

/* Bytes that are no hole, counted until there are enough. A file system without holes says that all are data. */
static uint64_t count_data(int fd, uint64_t size)
{
	uint64_t data = 0;
	off_t at = 0, end;

	while (cost_decompressed_max(data) < size && (at = lseek(fd, at, SEEK_DATA)) >= 0 &&
	       (end = lseek(fd, at, SEEK_HOLE)) > at) {
		data += (uint64_t)(end - at);
		at = end;
	}
	lseek(fd, 0, SEEK_SET);
	return data;
}

int sparse_check(int fd, const struct stat *st, const char *path, struct err *err)
{
	uint64_t size = (uint64_t)st->st_size, stored = (uint64_t)st->st_blocks * 512;

	/* Compression makes blocks few, not data. */
	if (size <= cost_decompressed_max(stored) ||
	    size <= cost_decompressed_max(stored = count_data(fd, size)))
		return 0;
	return err_set(err, ERR_UNSUPPORTED,
		       "'%s' is sparse: it is %llu MB long with %llu MB stored, and the limit for "
		       "that is a length of %llu MB: copy it without holes (cp --sparse=never); %s",
		       path, (unsigned long long)size >> 20, (unsigned long long)stored >> 20,
		       (unsigned long long)cost_decompressed_max(stored) >> 20, cost_remedy());
}
