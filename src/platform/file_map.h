/*
 * A whole file in the address space: pages come as they are touched, nothing is copied.
 */
#ifndef PLATFORM_FILE_MAP_H
#define PLATFORM_FILE_MAP_H

#include <stddef.h>

#include "util/err.h"

struct file_map {
	char *data; /* NULL where the file is empty; writes stay private */
	size_t size;
};

/*
 * A file that shrinks while it is mapped ends the program at the next touch: map what is finished only. (Windows: it can
 * be neither cut nor replaced meanwhile.)
 */
int file_map_open(const char *path, struct file_map *map, struct err *err);
void file_map_close(struct file_map *map);

#endif
