/*
 * Making batches ahead in a second thread while the first one uses those that are ready.
 */
#ifndef TRACE_PIPELINE_H
#define TRACE_PIPELINE_H

#include <stddef.h>

#include "util/err.h"

#define PIPELINE_SLOTS 3 /* with the user, ready, in the making */

struct pipeline;

/* Fill the batch of the slot: 1, 0 at the end, -1; after these it is not called again. */
typedef int pipeline_make_fn(void *data, size_t slot, struct err *err);

/* With one thread only slot 0 is used, and filled as it is asked for. */
int pipeline_new(pipeline_make_fn *make, void *data, int threads, struct pipeline **pipeline,
		 struct err *err);

/* What `make` returned of the next batch, which is the user's until the next call, the last one in any case. */
int pipeline_next(struct pipeline *pipeline, size_t *slot, struct err *err);

/* Waits for the batch in the making. */
void pipeline_free(struct pipeline *pipeline);

#endif
