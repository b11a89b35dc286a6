/*
 * Large files: read at any offset, mapped into memory, or temporary.
 */
#ifndef PLATFORM_FILE_H
#define PLATFORM_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

/* A file that is read at any offset. It may be large, and may grow or shrink while it is open. */
struct file_at;

/* Regular files only. */
int file_at_open(const char *path, struct file_at **file, struct err *err);
void file_at_close(struct file_at *file);

/* The current size in bytes. */
int64_t file_at_size(const struct file_at *file);

/* How many of them are stored: a hole of a sparse file is not. (Windows: all.) */
uint64_t file_at_stored(const struct file_at *file);

/*
 * Read up to `nr` bytes from `offset`. Returns the number of bytes read, smaller than `nr` only at the end of the
 * file; -1 on error. Thread-safe.
 */
int64_t file_at_read(const struct file_at *file, uint64_t offset, void *to, size_t nr,
		     struct err *err);

/* A whole file, mapped into memory: pages are read when they are accessed, nothing is copied. */
struct file_map {
	char *data; /* NULL if the file is empty; writes do not change the file */
	size_t size;
};

/*
 * A file that shrinks while it is mapped ends the program at the next access: map only files that are complete. (Windows: a
 * mapped file can be neither shortened nor replaced.)
 */
int file_map_open(const char *path, struct file_map *map, struct err *err);
void file_map_close(struct file_map *map);

/*
 * Give back the memory of the pages that were accessed. Later accesses read them again, cheaply as a rule: the system
 * caches files. What was written to the mapping may be lost.
 */
void file_map_drop(const struct file_map *map);

/*
 * A temporary file without a name, for data that does not fit in memory. It is deleted when it is closed or the
 * process ends. Its directory is TMPDIR (Windows: TMP), by default the system's directory for large temporary files.
 */
struct scratch_file;

int scratch_file_open(struct scratch_file **file, struct err *err);
void scratch_file_close(struct scratch_file *file);

/* The directory; valid until scratch_file_close(). */
const char *scratch_file_dir(const struct scratch_file *file);

/* A path by which functions of this process that read files can open it until scratch_file_close(). The caller frees it. */
char *scratch_file_path(const struct scratch_file *file);

/* A stream that writes into the file, for the caller to close. NULL: failure. */
FILE *scratch_file_stream(struct scratch_file *file, struct err *err);

int scratch_file_write(struct scratch_file *file, uint64_t offset, const void *from, size_t nr,
		       struct err *err);

/* All `nr` bytes must have been written before. */
int scratch_file_read(struct scratch_file *file, uint64_t offset, void *to, size_t nr,
		      struct err *err);

#endif
