#include "platform/thread.h"

#include <errno.h>
#include <process.h>
#include <stdlib.h>
#include <windows.h>

#include "util/alloc.h"

struct thread {
	HANDLE handle;
	void (*run)(void *data);
	void *data;
};

struct monitor {
	SRWLOCK lock;
	CONDITION_VARIABLE woken;
};

static unsigned __stdcall run_thread(void *data)
{
	struct thread *thread = data;

	thread->run(thread->data);
	return 0;
}

int thread_start(void (*run)(void *data), void *data, struct thread **thread, struct err *err)
{
	struct thread *made = xmalloc(sizeof(*made));

	*made = (struct thread){ .run = run, .data = data };
	made->handle = (HANDLE)_beginthreadex(NULL, 0, run_thread, made, 0, NULL);
	if (!made->handle) {
		free(made);
		return err_set_errno(err, errno, "cannot start a thread");
	}
	*thread = made;
	return 0;
}

void thread_join(struct thread *thread)
{
	if (!thread)
		return;
	WaitForSingleObject(thread->handle, INFINITE);
	CloseHandle(thread->handle);
	free(thread);
}

bool thread_raise(void)
{
	return SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_TIME_CRITICAL);
}

struct monitor *monitor_new(void)
{
	struct monitor *monitor = xmalloc(sizeof(*monitor));

	InitializeSRWLock(&monitor->lock);
	InitializeConditionVariable(&monitor->woken);
	return monitor;
}

void monitor_free(struct monitor *monitor)
{
	free(monitor);
}

void monitor_enter(struct monitor *monitor)
{
	AcquireSRWLockExclusive(&monitor->lock);
}

void monitor_leave(struct monitor *monitor)
{
	ReleaseSRWLockExclusive(&monitor->lock);
}

void monitor_wait(struct monitor *monitor)
{
	SleepConditionVariableSRW(&monitor->woken, &monitor->lock, INFINITE, 0);
}

void monitor_wake(struct monitor *monitor)
{
	WakeAllConditionVariable(&monitor->woken);
}
