#include "platform/proc_watch.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "platform/posix/proc_look.h"
#include "platform/posix/proc_source.h"
#include "platform/posix/watch_thread.h"
#include "platform/proc_queue.h"
#include "util/alloc.h"
#include "util/array.h"

struct root {
	int64_t pid;
	bool include;
};

struct proc_watch {
	pthread_t thread;
	bool running;
	int wake; /* readable: there is an order */

	/* Of the watching thread alone while it runs. */
	const struct proc_source_ops *ops;
	struct proc_source *source;
	struct proc_tracker tracker;

	pthread_mutex_t lock;
	pthread_cond_t obeyed; /* roots_done has grown */
	struct root *roots;
	size_t roots_nr, roots_alloc;
	uint64_t roots_asked, roots_done;
	bool stop;
	struct proc_queue queue;
	struct proc_watch_status status;
};

static void refresh_status(struct proc_watch *watch)
{
	watch->ops->get_status(watch->source, &watch->status);
	watch->status.argv_lost = watch->tracker.argv_lost;
	watch->status.may_have_missed = watch->tracker.may_have_missed;
}

/* With the tracker locked. */
static void hand_out(struct proc_watch *watch)
{
	pthread_mutex_lock(&watch->lock);
	proc_tracker_hand_out(&watch->tracker, &watch->queue);
	refresh_status(watch);
	pthread_mutex_unlock(&watch->lock);
}

/* True: to stop. */
static bool obey(struct proc_watch *watch)
{
	struct root *roots;
	uint64_t count;
	size_t nr;
	bool stop;

	if (read(watch->wake, &count, sizeof(count)) < 0)
		return false;
	pthread_mutex_lock(&watch->lock);
	roots = watch->roots;
	nr = watch->roots_nr;
	stop = watch->stop;
	watch->roots = NULL;
	watch->roots_nr = watch->roots_alloc = 0;
	pthread_mutex_unlock(&watch->lock);
	proc_tracker_lock(&watch->tracker);
	for (size_t i = 0; i < nr; i++)
		look_add_root(&watch->tracker, roots[i].pid, roots[i].include);
	hand_out(watch);
	proc_tracker_unlock(&watch->tracker);
	free(roots);
	pthread_mutex_lock(&watch->lock);
	watch->roots_done += nr;
	pthread_cond_broadcast(&watch->obeyed);
	pthread_mutex_unlock(&watch->lock);
	return stop;
}

static void *watch_main(void *data)
{
	struct proc_watch *watch = data;
	struct proc_tracker *tracker = &watch->tracker;

	watch->ops->start(watch->source, tracker);
	do {
		watch->ops->wait(watch->source, tracker, watch->wake);
		proc_tracker_lock(tracker);
		watch->ops->take(watch->source, tracker);
		hand_out(watch);
		proc_tracker_unlock(tracker);
	} while (!obey(watch));
	proc_tracker_lock(tracker);
	watch->ops->finish(watch->source, tracker);
	hand_out(watch);
	proc_tracker_unlock(tracker);
	return NULL;
}

static int open_source(struct proc_watch *watch, const struct proc_watch_options *options,
		       struct err *err)
{
	struct err why = ERR_INIT;
	int ret;

	if (!options->poll_only) {
		watch->ops = &proc_live_source;
		if (watch->ops->open(options, &watch->source, &why) == 0)
			return 0;
	}
	watch->ops = &proc_poll_source;
	ret = watch->ops->open(options, &watch->source, err);
	snprintf(watch->status.why_not, sizeof(watch->status.why_not), "%s",
		 why.msg ? why.msg : "polling was asked for");
	err_clear(&why);
	return ret;
}

static int start_thread(struct proc_watch *watch, struct err *err)
{
	int errnum = watch_thread_start(&watch->thread, watch_main, watch);

	if (errnum)
		return err_set_errno(err, errnum, "cannot start a thread to watch processes");
	watch->running = true;
	return 0;
}

int proc_watch_start(const struct proc_watch_options *options, struct proc_watch **watch,
		     struct err *err)
{
	struct proc_watch *w = xcalloc(1, sizeof(*w));

	watch_thread_init_lock(&w->lock);
	pthread_cond_init(&w->obeyed, NULL);
	proc_tracker_init(&w->tracker, options->env_names);
	w->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->wake < 0) {
		err_set_errno(err, errno, "cannot watch processes");
		goto failed;
	}
	if (open_source(w, options, err) < 0)
		goto failed;
	w->tracker.has_records = w->ops->has_records(w->source);
	refresh_status(w);
	if (start_thread(w, err) < 0)
		goto failed;
	*watch = w;
	return 0;

failed:
	proc_watch_free(w);
	return -1;
}

static void wake_up(struct proc_watch *watch)
{
	const uint64_t one = 1;

	/* Full only where it is awake anyway. */
	(void)!write(watch->wake, &one, sizeof(one));
}

void proc_watch_add_root(struct proc_watch *watch, int64_t pid, bool include)
{
	uint64_t ticket;

	if (!watch->running)
		return;
	pthread_mutex_lock(&watch->lock);
	ARRAY_GROW(watch->roots, watch->roots_nr + 1, watch->roots_alloc);
	watch->roots[watch->roots_nr++] = (struct root){ pid, include };
	ticket = ++watch->roots_asked;
	wake_up(watch);
	while (watch->roots_done < ticket)
		pthread_cond_wait(&watch->obeyed, &watch->lock);
	pthread_mutex_unlock(&watch->lock);
}

bool proc_watch_next(struct proc_watch *watch, struct proc_event *event)
{
	bool found;

	pthread_mutex_lock(&watch->lock);
	found = proc_queue_take(&watch->queue, event);
	pthread_mutex_unlock(&watch->lock);
	return found;
}

void proc_watch_get_status(struct proc_watch *watch, struct proc_watch_status *status)
{
	pthread_mutex_lock(&watch->lock);
	*status = watch->status;
	pthread_mutex_unlock(&watch->lock);
}

void proc_watch_stop(struct proc_watch *watch)
{
	if (!watch->running)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->stop = true;
	pthread_mutex_unlock(&watch->lock);
	wake_up(watch);
	pthread_join(watch->thread, NULL);
	watch->running = false;
}

void proc_watch_free(struct proc_watch *watch)
{
	if (!watch)
		return;
	proc_watch_stop(watch);
	if (watch->source)
		watch->ops->close(watch->source);
	proc_tracker_release(&watch->tracker);
	if (watch->wake >= 0)
		close(watch->wake);
	proc_queue_release(&watch->queue);
	free(watch->roots);
	pthread_cond_destroy(&watch->obeyed);
	pthread_mutex_destroy(&watch->lock);
	free(watch);
}
