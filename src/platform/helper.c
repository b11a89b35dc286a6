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
	/* Inside of the monitor. */
	struct job *v; /* that have not begun */
	size_t nr, alloc;
	const void *running; /* the data of the one that the thread is at; NULL */
	bool stop;
};

static void remove_job(struct helper *helper, size_t i)
{
	memmove(&helper->v[i], &helper->v[i + 1], (--helper->nr - i) * sizeof(*helper->v));
}

/* Inside of the monitor, which is left meanwhile. */
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

void helper_offer(struct helper *helper, job_fn *job, void *data)
{
	if (!helper)
		return;
	monitor_enter(helper->monitor);
	ARRAY_GROW(helper->v, helper->nr + 1, helper->alloc);
	helper->v[helper->nr++] = (struct job){ job, data };
	monitor_wake(helper->monitor);
	monitor_leave(helper->monitor);
}

/* False: it is not among those that have not begun. */
static bool withdraw(struct helper *helper, const void *data)
{
	for (size_t i = 0; i < helper->nr; i++) {
		if (helper->v[i].data == data) {
			remove_job(helper, i);
			return true;
		}
	}
	return false;
}

bool helper_take_back(struct helper *helper, const void *data)
{
	bool done;

	if (!helper)
		return false;
	monitor_enter(helper->monitor);
	done = !withdraw(helper, data);
	while (helper->running == data) {
		if (helper->nr)
			run_first(helper);
		else
			monitor_wait(helper->monitor);
	}
	monitor_leave(helper->monitor);
	return done;
}
