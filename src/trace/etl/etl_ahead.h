/*
 * The buffers of files, unpacked. They are asked for in runs, as those of a processor; with a helper the next packed ones of
 * all runs are loaded while others are looked at, first of the run that has the least left.
 */
#ifndef TRACE_ETL_AHEAD_H
#define TRACE_ETL_AHEAD_H

#include <stddef.h>
#include <stdint.h>

#include "platform/helper.h"
#include "trace/etl/etl_file.h"
#include "util/err.h"

struct etl_ahead;

/* `helper` is borrowed. Ahead are at most 3 buffers of each run, and 8 MB in all, or one larger buffer. */
struct etl_ahead *etl_ahead_new(struct helper *helper);
/* Waits for the buffer in the making. */
void etl_ahead_free(struct etl_ahead *ahead);

/*
 * One more run, of `nr` buffers of a file; all are borrowed. Runs have numbers from 0 on, and are added before the first
 * buffer is asked for.
 */
void etl_ahead_add(struct etl_ahead *ahead, const struct etl_file *file,
		   const struct etl_extent *extents, size_t nr, uint16_t session);

/* The next buffer of a run, good until the next call for that run: 1; 0 at its end; -1. */
int etl_ahead_next(struct etl_ahead *ahead, size_t run, struct etl_buffer **buffer,
		   struct err *err);

#endif
