/*
 * The events of one or more ETL files of one recording by time: one buffer of each processor is open at a time.
 * Equal times: by file, then processor, then place.
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
 * `files` and `helper`, which loads next buffers, are borrowed. ERR_UNSUPPORTED where their clocks are not the same, Windows
 * was started anew in between, one is there twice, or buffers take more than a gigabyte.
 */
int etl_merge_new(struct etl_file *const *files, size_t nr, struct helper *helper,
		  struct etl_merge **merge, struct err *err);
void etl_merge_free(struct etl_merge *merge);

/*
 * The next events: 1, `*records` and `*nr` (> 0) with all they point into are good until the next call; 0 at the
 * end; -1. One that is behind a later one of its processor is told where it stands.
 */
int etl_merge_next(struct etl_merge *merge, const struct etl_record **records, size_t *nr,
		   struct err *err);

#endif
