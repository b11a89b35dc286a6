/*
 * Batches of any data, made one after the other by a second thread, while the first thread uses the batches that are
 * ready. A batch may need a second step, which is done in the same order by the thread that would have to wait.
 */
#ifndef PLATFORM_PIPELINE_H
#define PLATFORM_PIPELINE_H

#include <stddef.h>

#include "util/err.h"

#define PIPELINE_SLOTS 4 /* one in use, one ready, one to be finished, one being made */

struct pipeline;

/* Make a batch in the slot. Returns 1; 0 at the end and -1 on error, after which it is not called again. */
typedef int pipeline_make_fn(void *data, size_t slot, struct err *err);

/* The second step of each batch, the last one included. Meanwhile other batches may be made and used. */
typedef void pipeline_finish_fn(void *data, size_t slot);

/* Start making batches; `finish` may be NULL. With one thread only slot 0 is used, and pipeline_next() makes each batch. */
struct pipeline *pipeline_new(pipeline_make_fn *make, pipeline_finish_fn *finish, void *data,
			      int threads);

/*
 * Wait for the next batch and return what `make` returned for it. The caller may use the slot until the next call;
 * after 0 or -1 until the pipeline is freed.
 */
int pipeline_next(struct pipeline *pipeline, size_t *slot, struct err *err);

/* Waits for the batch that is being made. */
void pipeline_free(struct pipeline *pipeline);

#endif
