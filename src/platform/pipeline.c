#include "platform/pipeline.h"

#include <stdbool.h>
#include <stdlib.h>

#include "platform/helper.h"
#include "util/alloc.h"

struct batch {
	struct pipeline *pipeline;
	int rc; /* the result of `make` */
	struct err err;
};

struct pipeline {
	pipeline_make_fn *make;
	void *data;
	struct helper *helper; /* NULL: there is no second thread */
	struct batch batches[PIPELINE_SLOTS];
	size_t taken; /* number of batches that the caller has got */
	bool ended;   /* no more batches are made */
};

static void make_batch(void *data)
{
	struct batch *batch = data;
	struct pipeline *pipeline = batch->pipeline;

	if (pipeline->ended)
		return;
	batch->rc =
		pipeline->make(pipeline->data, (size_t)(batch - pipeline->batches), &batch->err);
	pipeline->ended = batch->rc <= 0;
}

struct pipeline *pipeline_new(pipeline_make_fn *make, void *data, int threads)
{
	struct pipeline *pipeline = xcalloc(1, sizeof(*pipeline));

	pipeline->make = make;
	pipeline->data = data;
	pipeline->helper = helper_new(threads);
	for (size_t i = 0; i < PIPELINE_SLOTS; i++) {
		pipeline->batches[i].pipeline = pipeline;
		helper_add(pipeline->helper, make_batch, &pipeline->batches[i]);
	}
	return pipeline;
}

static struct batch *take(struct pipeline *pipeline)
{
	size_t taken = pipeline->taken++;
	struct batch *batch = &pipeline->batches[taken % PIPELINE_SLOTS];

	if (!pipeline->helper) {
		make_batch(&pipeline->batches[0]);
		return &pipeline->batches[0];
	}
	if (taken)
		helper_add(pipeline->helper, make_batch,
			   &pipeline->batches[(taken - 1) % PIPELINE_SLOTS]);
	helper_wait(pipeline->helper, batch);
	return batch;
}

int pipeline_next(struct pipeline *pipeline, size_t *slot, struct err *err)
{
	const struct batch *batch = take(pipeline);

	*slot = (size_t)(batch - pipeline->batches);
	if (batch->rc < 0)
		return err_set(err, batch->err.code, "%s", batch->err.msg);
	return batch->rc;
}

void pipeline_free(struct pipeline *pipeline)
{
	if (!pipeline)
		return;
	/* Withdraw the last job first, so that no batch is made before an earlier one. */
	for (size_t i = PIPELINE_SLOTS; i-- > 0;)
		helper_withdraw(pipeline->helper,
				&pipeline->batches[(pipeline->taken + i) % PIPELINE_SLOTS]);
	helper_free(pipeline->helper);
	for (size_t i = 0; i < PIPELINE_SLOTS; i++)
		err_clear(&pipeline->batches[i].err);
	free(pipeline);
}
