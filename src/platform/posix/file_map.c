#include "platform/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int file_map_open(const char *path, struct file_map *map, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not hold us */
	struct stat st;
	int rc = 0;

	*map = (struct file_map){ NULL, 0 };
	if (fd < 0 || fstat(fd, &st)) {
		rc = err_set_errno(err, errno, "cannot read '%s'", path);
	} else if (!S_ISREG(st.st_mode)) {
		rc = err_set(err, ERR_UNSUPPORTED, "'%s' is not a file", path);
	} else if (st.st_size > 0) {
		map->size = (size_t)st.st_size;
		map->data = mmap(NULL, map->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
		if (map->data == MAP_FAILED) {
			*map = (struct file_map){ NULL, 0 };
			rc = err_set_errno(err, errno, "cannot read '%s'", path);
		}
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

void file_map_close(struct file_map *map)
{
	if (map->data)
		munmap(map->data, map->size);
	*map = (struct file_map){ NULL, 0 };
}
