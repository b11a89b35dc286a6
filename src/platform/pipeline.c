#include "platform/pipeline.h"

#include <stdbool.h>
#include <stdlib.h>

#include "platform/thread.h"
#include "util/alloc.h"

/* The result of `make`. */
struct outcome {
	int rc;
	struct err err;
};

struct pipeline {
	pipeline_make_fn *make;
	pipeline_finish_fn *finish; /* NULL: no second step */
	void *data;
	struct outcome outcomes[PIPELINE_SLOTS];
	size_t taken;          /* number of batches that the caller has got */
	struct thread *thread; /* NULL: there is no second thread */
	struct monitor *monitor;
	/* Protected by the monitor: numbers of batches made, finished, and no longer used. */
	size_t made, finished, returned;
	bool finishing; /* a thread does it */
	bool stop;
};

static struct outcome *make_batch(struct pipeline *pipeline, size_t slot)
{
	struct outcome *outcome = &pipeline->outcomes[slot];

	outcome->rc = pipeline->make(pipeline->data, slot, &outcome->err);
	return outcome;
}

static void finish_batch(struct pipeline *pipeline, size_t slot)
{
	if (pipeline->finish)
		pipeline->finish(pipeline->data, slot);
}

/* Called inside the monitor, which is left meanwhile. False: this was the last batch. */
static bool make_next(struct pipeline *pipeline)
{
	size_t slot = pipeline->made % PIPELINE_SLOTS;
	bool more;

	monitor_leave(pipeline->monitor);
	more = make_batch(pipeline, slot)->rc > 0;
	monitor_enter(pipeline->monitor);
	pipeline->made++;
	monitor_wake(pipeline->monitor);
	return more;
}

/* The same for the second step. False: none is to be done, or the other thread does one. */
static bool finish_next(struct pipeline *pipeline)
{
	size_t slot = pipeline->finished % PIPELINE_SLOTS;

	if (pipeline->finishing || pipeline->finished == pipeline->made)
		return false;
	pipeline->finishing = true;
	monitor_leave(pipeline->monitor);
	finish_batch(pipeline, slot);
	monitor_enter(pipeline->monitor);
	pipeline->finishing = false;
	pipeline->finished++;
	monitor_wake(pipeline->monitor);
	return true;
}

static void run(void *data)
{
	struct pipeline *pipeline = data;
	bool more = true;

	monitor_enter(pipeline->monitor);
	while (more && !pipeline->stop) {
		if (pipeline->made - pipeline->returned < PIPELINE_SLOTS)
			more = make_next(pipeline);
		else if (!finish_next(pipeline))
			monitor_wait(pipeline->monitor);
	}
	monitor_leave(pipeline->monitor);
}

struct pipeline *pipeline_new(pipeline_make_fn *make, pipeline_finish_fn *finish, void *data,
			      int threads)
{
	struct pipeline *pipeline = xcalloc(1, sizeof(*pipeline));
	struct err err = ERR_INIT;

	pipeline->make = make;
	pipeline->finish = finish;
	pipeline->data = data;
	pipeline->monitor = monitor_new();
	/* If no thread can be started, the caller makes the batches. */
	if (threads > 1 && thread_start(run, pipeline, &pipeline->thread, &err)) {
		pipeline->thread = NULL;
		err_clear(&err);
	}
	return pipeline;
}

static size_t take(struct pipeline *pipeline)
{
	if (!pipeline->thread) {
		make_batch(pipeline, 0);
		finish_batch(pipeline, 0);
		return 0;
	}
	monitor_enter(pipeline->monitor);
	pipeline->returned = pipeline->taken;
	monitor_wake(pipeline->monitor);
	while (pipeline->finished == pipeline->taken)
		if (!finish_next(pipeline))
			monitor_wait(pipeline->monitor);
	monitor_leave(pipeline->monitor);
	return pipeline->taken++ % PIPELINE_SLOTS;
}

int pipeline_next(struct pipeline *pipeline, size_t *slot, struct err *err)
{
	const struct outcome *outcome;

	*slot = take(pipeline);
	outcome = &pipeline->outcomes[*slot];
	if (outcome->rc < 0)
		return err_set(err, outcome->err.code, "%s", outcome->err.msg);
	return outcome->rc;
}

void pipeline_free(struct pipeline *pipeline)
{
	if (!pipeline)
		return;
	if (pipeline->thread) {
		monitor_enter(pipeline->monitor);
		pipeline->stop = true;
		monitor_wake(pipeline->monitor);
		monitor_leave(pipeline->monitor);
		thread_join(pipeline->thread);
	}
	monitor_free(pipeline->monitor);
	for (size_t i = 0; i < PIPELINE_SLOTS; i++)
		err_clear(&pipeline->outcomes[i].err);
	free(pipeline);
}
