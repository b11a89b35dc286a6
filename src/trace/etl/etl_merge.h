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
 * Leave out short events of other kinds than `kinds`, bits of enum etl_kinds, before the first call of
 * etl_merge_next(). Those that are earlier than their predecessor, or the last ones before such an event or another kind of
 * header, are not left out: what is delivered has the order that it has among all events, and its times show how far they
 * have come.
 */
void etl_merge_only(struct etl_merge *merge, unsigned kinds);

/*
 * Get the next events. 1: `*records` and `*nr` (> 0) are valid until the next call; 0: end; -1: failure. An event that is
 * earlier than its predecessor on the same processor keeps its position.
 */
int etl_merge_next(struct etl_merge *merge, const struct etl_record **records, size_t *nr,
		   struct err *err);

/*
 * A message about files that do not overlap in time, as those of one recording do: two recordings since one start of
 * Windows have the same clock. NULL: they do. The caller frees it.
 */
char *etl_merge_gap(struct etl_file *const *files, size_t nr);

#endif
