/*
 * Loads and decompresses the buffers of streams: those of one processor, in order. A helper thread prefetches
 * buffers, first for the stream with the fewest loaded bytes left.
 */
#ifndef TRACE_ETL_PREFETCH_H
#define TRACE_ETL_PREFETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "platform/helper.h"
#include "trace/etl/etl_file.h"
#include "util/err.h"

struct etl_prefetch;

/*
 * `helper` is borrowed. At most 3 buffers of each stream are prefetched, and 8 MB in all, or one larger buffer. `plain`:
 * those that are not compressed too, where no other thread has anything to do meanwhile.
 */
struct etl_prefetch *etl_prefetch_new(struct helper *helper, bool plain);
/* Waits for the buffer that is being loaded. */
void etl_prefetch_free(struct etl_prefetch *prefetch);

/*
 * Add a stream: `nr` buffers of a file, both borrowed. Streams are numbered from 0. Add all before the first buffer is
 * requested.
 */
void etl_prefetch_add(struct etl_prefetch *prefetch, const struct etl_file *file,
		      const struct etl_extent *extents, size_t nr, uint16_t session);

/* Get the next buffer of a stream, valid until the next call for it. 1; 0: end of the stream; -1: failure. */
int etl_prefetch_next(struct etl_prefetch *prefetch, size_t stream, struct etl_buffer **buffer,
		      struct err *err);

#endif
