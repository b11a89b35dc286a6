#include "trace/pipeline.h"

#include <stdbool.h>
#include <stdlib.h>

#include "platform/thread.h"
#include "util/alloc.h"

/* How the making of a batch went. */
struct outcome {
	int rc;
	struct err err;
};

struct pipeline {
	pipeline_make_fn *make;
	pipeline_finish_fn *finish;
	void *data;
	struct outcome outcomes[PIPELINE_SLOTS];
	/* With a second thread: how many were made, finished and given back; inside of the monitor. */
	struct thread *thread;
	struct monitor *monitor;
	size_t made, finished, returned;
	bool finishing; /* one of the two is at it */
	bool stop;
	size_t taken; /* the user's side */
};

static void fill(struct pipeline *pipeline, size_t slot)
{
	struct outcome *outcome = &pipeline->outcomes[slot];

	outcome->rc = pipeline->make(pipeline->data, slot, &outcome->err);
}

static void finish_slot(struct pipeline *pipeline, size_t slot)
{
	if (pipeline->finish)
		pipeline->finish(pipeline->data, slot);
}

/* The next one, if nobody is at it; inside of the monitor, which is left meanwhile. */
static bool finish_next(struct pipeline *pipeline)
{
	size_t slot = pipeline->finished % PIPELINE_SLOTS;

	if (pipeline->finishing || pipeline->finished == pipeline->made)
		return false;
	pipeline->finishing = true;
	monitor_leave(pipeline->monitor);
	finish_slot(pipeline, slot);
	monitor_enter(pipeline->monitor);
	pipeline->finishing = false;
	pipeline->finished++;
	monitor_wake(pipeline->monitor);
	return true;
}

/* True when that was the last. */
static bool make_next(struct pipeline *pipeline)
{
	size_t slot = pipeline->made % PIPELINE_SLOTS;

	monitor_leave(pipeline->monitor);
	fill(pipeline, slot);
	monitor_enter(pipeline->monitor);
	pipeline->made++;
	monitor_wake(pipeline->monitor);
	return pipeline->outcomes[slot].rc <= 0;
}

static void run(void *data)
{
	struct pipeline *pipeline = data;
	bool all = false;

	monitor_enter(pipeline->monitor);
	while (!pipeline->stop && !all) {
		if (pipeline->made - pipeline->returned < PIPELINE_SLOTS)
			all = make_next(pipeline);
		else if (!finish_next(pipeline))
			monitor_wait(pipeline->monitor);
	}
	monitor_leave(pipeline->monitor);
}

int pipeline_new(pipeline_make_fn *make, pipeline_finish_fn *finish, void *data, int threads,
		 struct pipeline **pipeline, struct err *err)
{
	struct pipeline *made = xcalloc(1, sizeof(*made));

	made->make = make;
	made->finish = finish;
	made->data = data;
	if (threads > 1) {
		made->monitor = monitor_new();
		if (thread_start(run, made, &made->thread, err)) {
			pipeline_free(made);
			return -1;
		}
	}
	*pipeline = made;
	return 0;
}

static size_t take(struct pipeline *pipeline)
{
	if (!pipeline->thread) {
		fill(pipeline, 0);
		finish_slot(pipeline, 0);
		return 0;
	}
	monitor_enter(pipeline->monitor);
	/* What was taken last is given back. */
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
