/*
 * The buffers of a file one after the other, unpacked: with a second thread the next ones are while one is looked at, by that
 * thread, and by the first one as long as it would wait for it.
 */
#ifndef TRACE_ETL_AHEAD_H
#define TRACE_ETL_AHEAD_H

#include <stdint.h>

#include "trace/etl/etl_file.h"
#include "util/err.h"

struct etl_ahead;

/* `file` is borrowed. So many buffers are in memory at once: with one thread 1, with two 4. */
int etl_ahead_new(const struct etl_file *file, uint16_t session, int threads,
		  struct etl_ahead **ahead, struct err *err);

/* The next one in the order of etl_file_extents(), good until the next call: 1; 0 at the end; -1. */
int etl_ahead_next(struct etl_ahead *ahead, struct etl_buffer **buffer, struct err *err);

/* Waits for the buffer in the making. */
void etl_ahead_free(struct etl_ahead *ahead);

#endif
