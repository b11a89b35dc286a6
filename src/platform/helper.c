#include "platform/helper.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "platform/thread.h"
#include "util/array.h"

struct job {
	job_fn *run;
	void *data;
};

struct helper {
	struct thread *thread;
	struct monitor *monitor;
	/* Protected by the monitor. */
	struct job *v; /* jobs that have not begun */
	size_t nr, alloc;
	const void *running; /* the data of the job that the thread runs; NULL: none */
	bool stop;
};

static void remove_job(struct helper *helper, size_t i)
{
	memmove(&helper->v[i], &helper->v[i + 1], (--helper->nr - i) * sizeof(*helper->v));
}

/* Called inside the monitor, which is left while the job runs. */
static void run_first(struct helper *helper)
{
	struct job job = helper->v[0];

	remove_job(helper, 0);
	monitor_leave(helper->monitor);
	job.run(job.data);
	monitor_enter(helper->monitor);
}

static void run(void *data)
{
	struct helper *helper = data;

	monitor_enter(helper->monitor);
	for (;;) {
		while (!helper->nr && !helper->stop)
			monitor_wait(helper->monitor);
		if (!helper->nr)
			break;
		helper->running = helper->v[0].data;
		run_first(helper);
		helper->running = NULL;
		monitor_wake(helper->monitor);
	}
	monitor_leave(helper->monitor);
}

struct helper *helper_new(int threads)
{
	struct err err = ERR_INIT;
	struct helper *helper;

	if (threads < 2)
		return NULL;
	helper = xcalloc(1, sizeof(*helper));
	helper->monitor = monitor_new();
	if (!thread_start(run, helper, &helper->thread, &err))
		return helper;
	err_clear(&err);
	monitor_free(helper->monitor);
	free(helper);
	return NULL;
}

void helper_free(struct helper *helper)
{
	if (!helper)
		return;
	monitor_enter(helper->monitor);
	helper->stop = true;
	monitor_wake(helper->monitor);
	monitor_leave(helper->monitor);
	thread_join(helper->thread);
	monitor_free(helper->monitor);
	free(helper->v);
	free(helper);
}

void helper_add(struct helper *helper, job_fn *job, void *data)
{
	if (!helper)
		return;
	monitor_enter(helper->monitor);
	ARRAY_ADD(helper->v, helper->nr, helper->alloc, (struct job){ job, data });
	monitor_wake(helper->monitor);
	monitor_leave(helper->monitor);
}

/* The index of a job that has not begun; `nr`: there is none. */
static size_t find(const struct helper *helper, const void *data)
{
	size_t i = 0;

	while (i < helper->nr && helper->v[i].data != data)
		i++;
	return i;
}

void helper_wait(struct helper *helper, const void *data)
{
	if (!helper)
		return;
	monitor_enter(helper->monitor);
	while (helper->running == data || find(helper, data) < helper->nr)
		monitor_wait(helper->monitor);
	monitor_leave(helper->monitor);
}

bool helper_withdraw(struct helper *helper, const void *data)
{
	bool done;
	size_t i;

	if (!helper)
		return false;
	monitor_enter(helper->monitor);
	i = find(helper, data);
	done = i == helper->nr;
	if (!done)
		remove_job(helper, i);
	while (helper->running == data) {
		if (helper->nr)
			run_first(helper);
		else
			monitor_wait(helper->monitor);
	}
	monitor_leave(helper->monitor);
	return done;
}
