/*
 * Merges the events of all ETL files of a recording by time; equal times by file, then processor, then offset. One buffer
 * per processor is open at a time.
 */
#ifndef TRACE_ETL_MERGE_H
#define TRACE_ETL_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "platform/helper.h"
#include "trace/etl/etl_file.h"
#include "util/err.h"

struct etl_merge;

/*
 * `files` and `helper`, which prefetches buffers, are borrowed. ERR_UNSUPPORTED: the files have different clocks, Windows
 * was restarted in between, a file occurs twice, or buffers need more than a gigabyte.
 */
int etl_merge_new(struct etl_file *const *files, size_t nr, struct helper *helper,
		  struct etl_merge **merge, struct err *err);
void etl_merge_free(struct etl_merge *merge);

/*
 * Get the next events. 1: `*records` and `*nr` (> 0) are valid until the next call; 0: end; -1: failure. An event that is
 * earlier than its predecessor on the same processor keeps its position.
 */
int etl_merge_next(struct etl_merge *merge, const struct etl_record **records, size_t *nr,
		   struct err *err);

#endif
