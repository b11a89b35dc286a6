#include "platform/thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "util/alloc.h"

/* Above the lowest one, which perf has: perf is busy for 100 ms at once, and no equal priority interrupts it. */
#define PRIORITY_WANTED 2
#define NICE_WANTED     (-10)

struct thread {
	pthread_t id;
	void (*run)(void *data);
	void *data;
};

struct monitor {
	pthread_mutex_t lock;
	pthread_cond_t woken;
};

static void *run_thread(void *data)
{
	struct thread *thread = data;

	thread->run(thread->data);
	return NULL;
}

int thread_start(void (*run)(void *data), void *data, struct thread **thread, struct err *err)
{
	struct thread *made = xmalloc(sizeof(*made));
	sigset_t all, old;
	int errnum;

	*made = (struct thread){ .run = run, .data = data };
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	errnum = pthread_create(&made->id, NULL, run_thread, made);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (errnum) {
		free(made);
		return err_set_errno(err, errnum, "cannot start a thread");
	}
	*thread = made;
	return 0;
}

void thread_join(struct thread *thread)
{
	if (!thread)
		return;
	pthread_join(thread->id, NULL);
	free(thread);
}

bool thread_raise(void)
{
	struct sched_param param = { .sched_priority = PRIORITY_WANTED };

	for (; param.sched_priority; param.sched_priority--) {
		if (pthread_setschedparam(pthread_self(), SCHED_RR, &param) == 0)
			return true;
	}
	/* On Linux this sets the nice value of the thread only. */
	(void)setpriority(PRIO_PROCESS, 0, NICE_WANTED);
	return false;
}

struct monitor *monitor_new(void)
{
	struct monitor *monitor = xmalloc(sizeof(*monitor));
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	(void)pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	/* The kernel may lack such locks: WSL 1, qemu-user before 7.0. */
	if (pthread_mutex_init(&monitor->lock, &attr))
		pthread_mutex_init(&monitor->lock, NULL);
	pthread_mutexattr_destroy(&attr);
	pthread_cond_init(&monitor->woken, NULL);
	return monitor;
}

void monitor_free(struct monitor *monitor)
{
	if (!monitor)
		return;
	pthread_cond_destroy(&monitor->woken);
	pthread_mutex_destroy(&monitor->lock);
	free(monitor);
}

void monitor_enter(struct monitor *monitor)
{
	pthread_mutex_lock(&monitor->lock);
}

void monitor_leave(struct monitor *monitor)
{
	pthread_mutex_unlock(&monitor->lock);
}

void monitor_wait(struct monitor *monitor)
{
	pthread_cond_wait(&monitor->woken, &monitor->lock);
}

void monitor_wake(struct monitor *monitor)
{
	pthread_cond_broadcast(&monitor->woken);
}
