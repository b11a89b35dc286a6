#include "platform/posix/watch_thread.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>

#define NICE_WANTED (-10)

int watch_thread_start(pthread_t *thread, void *(*run)(void *data), void *data)
{
	sigset_t all, old;
	int errnum;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	errnum = pthread_create(thread, NULL, run, data);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return errnum;
}

bool watch_thread_raise(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (pthread_setschedparam(pthread_self(), SCHED_RR, &param) == 0)
		return true;
	/* On Linux this is the thread's own. */
	(void)setpriority(PRIO_PROCESS, 0, NICE_WANTED);
	return false;
}

void watch_thread_pin(unsigned which, unsigned count)
{
	cpu_set_t allowed, one;
	unsigned skip;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return;
	skip = (unsigned)CPU_COUNT(&allowed) * which / count;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || skip-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		(void)sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

void watch_thread_init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	(void)pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

unsigned watch_thread_cpus(void)
{
	cpu_set_t allowed;

	/* With more CPUs than fit into the set there are enough of them. */
	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return 2;
	return (unsigned)CPU_COUNT(&allowed);
}
