#include "platform/proc_watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "platform/proc_source.h"
#include "platform/thread.h"
#include "util/alloc.h"
#include "util/array.h"

struct root {
	int64_t pid;
	bool include;
};

struct proc_watch {
	struct thread *thread;
	const struct proc_source_ops *ops;
	struct proc_source *source; /* used only by the thread while it runs */

	struct monitor *monitor; /* protects all below; woken when roots_done has grown */
	struct root *roots;
	size_t roots_nr, roots_alloc;
	uint64_t roots_asked, roots_done;
	bool stop;
	struct proc_queue queue;
	struct proc_watch_status status;
};

static void hand_out(struct proc_watch *watch)
{
	struct proc_queue queue = PROC_QUEUE_INIT;
	struct proc_watch_status status = watch->status; /* nobody else writes it */

	watch->ops->hand_out(watch->source, &queue);
	watch->ops->get_status(watch->source, &status);
	monitor_enter(watch->monitor);
	proc_queue_join(&watch->queue, &queue);
	watch->status = status;
	monitor_leave(watch->monitor);
	proc_queue_release(&queue);
}

static void add_roots(struct proc_watch *watch, struct root *roots, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		watch->ops->add_root(watch->source, roots[i].pid, roots[i].include);
	free(roots);
	hand_out(watch);
	monitor_enter(watch->monitor);
	watch->roots_done += nr;
	monitor_wake(watch->monitor);
	monitor_leave(watch->monitor);
}

/* Process the requests of the caller. True: stop. */
static bool take_requests(struct proc_watch *watch)
{
	struct root *roots;
	size_t nr;
	bool stop;

	monitor_enter(watch->monitor);
	roots = watch->roots;
	nr = watch->roots_nr;
	stop = watch->stop;
	watch->roots = NULL;
	watch->roots_nr = watch->roots_alloc = 0;
	monitor_leave(watch->monitor);
	if (nr)
		add_roots(watch, roots, nr);
	return stop;
}

static void run(void *data)
{
	struct proc_watch *watch = data;

	watch->ops->start(watch->source);
	do {
		watch->ops->step(watch->source);
		hand_out(watch);
	} while (!take_requests(watch));
	watch->ops->finish(watch->source);
	hand_out(watch);
}

static void set_why_not(struct proc_watch *watch, const char *why)
{
	snprintf(watch->status.why_not, sizeof(watch->status.why_not), "%s", why);
}

static int open_source(struct proc_watch *watch, const struct proc_watch_options *options,
		       struct err *err)
{
	const struct proc_source_ops *const *ops = proc_sources;

	if (options->poll_only) {
		set_why_not(watch, "polling was requested");
		while (ops[1])
			ops++;
	}
	for (; (*ops)->open(options, &watch->source, err); ops++) {
		if (!ops[1])
			return -1;
		set_why_not(watch, err->msg);
		err_clear(err);
	}
	watch->ops = *ops;
	watch->ops->get_status(watch->source, &watch->status);
	return 0;
}

int proc_watch_start(const struct proc_watch_options *options, struct proc_watch **watch,
		     struct err *err)
{
	struct proc_watch *made = xcalloc(1, sizeof(*made));

	made->monitor = monitor_new();
	if (open_source(made, options, err) || thread_start(run, made, &made->thread, err)) {
		err_wrap(err, "cannot watch processes");
		proc_watch_free(made);
		return -1;
	}
	*watch = made;
	return 0;
}

void proc_watch_add_root(struct proc_watch *watch, int64_t pid, bool include)
{
	uint64_t ticket;

	if (!watch->thread)
		return;
	monitor_enter(watch->monitor);
	ARRAY_ADD(watch->roots, watch->roots_nr, watch->roots_alloc, (struct root){ pid, include });
	ticket = ++watch->roots_asked;
	watch->ops->wake(watch->source);
	while (watch->roots_done < ticket)
		monitor_wait(watch->monitor);
	monitor_leave(watch->monitor);
}

bool proc_watch_next(struct proc_watch *watch, struct proc_event *event)
{
	bool found;

	monitor_enter(watch->monitor);
	found = proc_queue_take(&watch->queue, event);
	monitor_leave(watch->monitor);
	return found;
}

void proc_watch_get_status(struct proc_watch *watch, struct proc_watch_status *status)
{
	monitor_enter(watch->monitor);
	*status = watch->status;
	monitor_leave(watch->monitor);
}

void proc_watch_stop(struct proc_watch *watch)
{
	if (!watch->thread)
		return;
	monitor_enter(watch->monitor);
	watch->stop = true;
	monitor_leave(watch->monitor);
	watch->ops->wake(watch->source);
	thread_join(watch->thread);
	watch->thread = NULL;
}

void proc_watch_free(struct proc_watch *watch)
{
	if (!watch)
		return;
	proc_watch_stop(watch);
	if (watch->source)
		watch->ops->close(watch->source);
	monitor_free(watch->monitor);
	proc_queue_release(&watch->queue);
	free(watch->roots);
	free(watch);
}
