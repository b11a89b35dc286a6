/*
 * An ETL file: its header event, and where its buffers are. Events are read buffer by buffer (etl_buffer), or
 * by time (etl_merge.h).
 */
#ifndef TRACE_ETL_FILE_H
#define TRACE_ETL_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/etl/etl_header.h"
#include "trace/etl/etl_index.h"
#include "trace/etl/etl_record.h"
#include "util/err.h"

struct etl_file;

/*
 * Read the header event and find all buffers. ERR_CORRUPT where it is no ETL file or its first buffer can't be
 * read; damage behind that is graded.
 */
int etl_file_open(const char *path, struct etl_file **file, struct err *err);
/* The same of bytes in memory, borrowed. */
int etl_file_open_memory(const void *memory, size_t nr, struct etl_file **file, struct err *err);
void etl_file_free(struct etl_file *file);

/* As it was opened; in memory "-". */
const char *etl_file_path(const struct etl_file *file);
const struct etl_header *etl_file_header(const struct etl_file *file);
const struct etl_damage *etl_file_damage(const struct etl_file *file);

/* The buffers by processor, in each in their order; `*nr` of them. Borrowed. */
const struct etl_extent *etl_file_extents(const struct etl_file *file, size_t *nr);
uint64_t etl_file_size(const struct etl_file *file);

/*
 * Nanoseconds from the header event's tick to `ticks`, rounded towards it; INT64_MAX, or its negative, where 64 bits
 * do not hold them.
 */
int64_t etl_file_ns(const struct etl_file *file, uint64_t ticks);

/* One buffer's bytes, unpacked, and a walk over its events. */
struct etl_buffer {
	unsigned char *bytes; /* without the buffer's header */
	size_t nr, alloc;
	struct etl_extent extent;
	size_t at;
	const char *fault; /* why it has no events; NULL */
	uint16_t session;
};

void etl_buffer_init(struct etl_buffer *buffer, uint16_t session);
void etl_buffer_release(struct etl_buffer *buffer);

/* For what etl_buffer_load() would else make room itself. */
void etl_buffer_make_room(struct etl_buffer *buffer, const struct etl_extent *extent);

/* -1 where the file can't be read; a damaged buffer has no events, and a fault. Thread-safe, by buffers. */
int etl_buffer_load(struct etl_buffer *buffer, const struct etl_file *file,
		    const struct etl_extent *extent, struct err *err);

/* The next event; false: no more. Damage, the buffer's own too, and unknown headers are counted in the file. */
bool etl_buffer_next(struct etl_buffer *buffer, struct etl_file *file, struct etl_record *record);

#endif
