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
	void *data;
	struct outcome outcomes[PIPELINE_SLOTS];
	/* With a second thread: how many were made and given back; inside of the monitor. */
	struct thread *thread;
	struct monitor *monitor;
	size_t made, returned;
	bool stop;
	size_t taken; /* the user's side */
};

static void fill(struct pipeline *pipeline, size_t slot)
{
	struct outcome *outcome = &pipeline->outcomes[slot];

	outcome->rc = pipeline->make(pipeline->data, slot, &outcome->err);
}

static void run(void *data)
{
	struct pipeline *pipeline = data;
	bool more = true;

	while (more) {
		size_t slot = pipeline->made % PIPELINE_SLOTS;

		monitor_enter(pipeline->monitor);
		while (!pipeline->stop && pipeline->made - pipeline->returned >= PIPELINE_SLOTS)
			monitor_wait(pipeline->monitor);
		more = !pipeline->stop;
		monitor_leave(pipeline->monitor);
		if (!more)
			break;
		fill(pipeline, slot);
		more = pipeline->outcomes[slot].rc > 0;
		monitor_enter(pipeline->monitor);
		pipeline->made++;
		monitor_wake(pipeline->monitor);
		monitor_leave(pipeline->monitor);
	}
}

int pipeline_new(pipeline_make_fn *make, void *data, int threads, struct pipeline **pipeline,
		 struct err *err)
{
	struct pipeline *made = xcalloc(1, sizeof(*made));

	made->make = make;
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
		return 0;
	}
	monitor_enter(pipeline->monitor);
	/* What was taken last is given back. */
	pipeline->returned = pipeline->taken;
	monitor_wake(pipeline->monitor);
	while (pipeline->made == pipeline->taken)
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
