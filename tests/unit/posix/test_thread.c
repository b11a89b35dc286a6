/*
 * The features of the system that threads and monitors need: priorities, and locks that inherit them.
 */
#include "platform/thread.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "util/array.h"
#include "util/text.h"

struct raised {
	bool above_ordinary;
	int policy, priority;
};

static void raise_self(void *data)
{
	struct raised *raised = data;
	struct sched_param param;

	raised->above_ordinary = thread_raise();
	pthread_getschedparam(pthread_self(), &raised->policy, &param);
	raised->priority = param.sched_priority;
}

/* perf has the lowest real-time priority, see host_allows_realtime(). */
static void thread_raise__allowed__is_above_perf(void **state)
{
	struct err err = ERR_INIT;
	struct raised raised;
	struct thread *thread;

	(void)state;
	assert_int_equal(thread_start(raise_self, &raised, &thread, &err), 0);
	thread_join(thread);
	if (!raised.above_ordinary)
		skip();
	assert_int_equal(raised.policy, SCHED_RR);
	assert_true(raised.priority > 1);
	assert_int_not_equal(sched_getscheduler(0), SCHED_RR);
}

/* From now on the kernel has no locks that hand on priorities. */
static int forbid_pi_locks(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, FUTEX_CMD_MASK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_LOCK_PI, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FUTEX_UNLOCK_PI, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	};
	struct sock_fprog filter = { ARRAY_SIZE(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

struct entry {
	struct monitor *monitor;
	_Atomic bool entered;
};

static void enter(void *data)
{
	struct entry *entry = data;

	monitor_enter(entry->monitor);
	entry->entered = true;
	monitor_leave(entry->monitor);
}

/* The exit code of a process that has no such locks: 77 where they cannot be forbidden, 0 where a monitor works. */
static int use_monitor(void)
{
	struct err err = ERR_INIT;
	struct entry entry = { .entered = false };
	struct thread *thread;
	bool early;

	alarm(10);
	mallopt(M_PERTURB, 0x5a);
	if (forbid_pi_locks())
		return 77;
	entry.monitor = monitor_new();
	monitor_enter(entry.monitor);
	if (thread_start(enter, &entry, &thread, &err))
		return 1;
	clock_sleep(50 * NS_PER_MS);
	early = entry.entered;
	monitor_leave(entry.monitor);
	thread_join(thread);
	monitor_free(entry.monitor);
	return early || !entry.entered;
}

/* The C library asks the kernel once: this must be the first use of a monitor. */
static void monitor_new__kernel_without_such_locks__excludes_others(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		_exit(use_monitor());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(monitor_new__kernel_without_such_locks__excludes_others),
		cmocka_unit_test(thread_raise__allowed__is_above_perf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
