/*
 * Making batches ahead in a second thread while the first one uses those that are ready. What has to be done to them in
 * their order is done by the one that would have to wait for the other: so both are busy, whoever has more to do.
 */
#ifndef TRACE_PIPELINE_H
#define TRACE_PIPELINE_H

#include <stddef.h>

#include "util/err.h"

#define PIPELINE_SLOTS 4 /* with the user, ready, to be finished, in the making */

struct pipeline;

/* Fill the batch of the slot: 1, 0 at the end, -1; after these it is not called again. */
typedef int pipeline_make_fn(void *data, size_t slot, struct err *err);

/*
 * What is to be done to each batch that was made, the last one too, in their order and before it is used. By either thread,
 * never by both at once; meanwhile others may be made and used.
 */
typedef void pipeline_finish_fn(void *data, size_t slot);

/* `finish` may be NULL. With one thread only slot 0 is used, and filled as it is asked for. */
int pipeline_new(pipeline_make_fn *make, pipeline_finish_fn *finish, void *data, int threads,
		 struct pipeline **pipeline, struct err *err);

/* What `make` returned of the next batch, which is the user's until the next call, the last one in any case. */
int pipeline_next(struct pipeline *pipeline, size_t *slot, struct err *err);

/* Waits for the batch in the making. */
void pipeline_free(struct pipeline *pipeline);

#endif
