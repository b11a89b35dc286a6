#include "platform/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/cost.h"
#include "platform/guard_process.h"
#include "util/alloc.h"

struct guard {
	pid_t pid;
	FILE *orders;
};

void guard_profiler_end(int64_t pid, bool force)
{
	kill((pid_t)pid, force ? SIGKILL : SIGINT);
}

static _Noreturn void run_guard(int orders)
{
	struct guard_state state = GUARD_STATE_INIT;
	FILE *in = fdopen(orders, "r");
	char line[4096];

	while (in && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (!guard_state_obey(&state, line))
			_exit(0);
	}
	guard_state_clean_up(&state);
	_exit(0);
}

/*
 * The guard must not keep descriptors of its parent open: the reader of a pipe, as `tee`, would wait until the guard
 * ends.
 */
static void close_others(int keep)
{
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	for (int fd = 3; fd < 1024; fd++) {
		if (fd != keep)
			close(fd);
	}
}

int guard_process_start(struct guard **guard, struct err *err)
{
	int fd[2];
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC))
		return err_set_errno(err, errno, "cannot create a pipe");
	pid = fork();
	if (pid < 0) {
		close(fd[0]);
		close(fd[1]);
		return err_set_errno(err, errno, "cannot start the guard process");
	}
	if (!pid) {
		prctl(PR_SET_NAME, "stagetrace-grd");
		setsid();
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		cost_lift();
		close_others(fd[0]);
		if (chdir("/"))
			_exit(1);
		run_guard(fd[0]);
	}
	close(fd[0]);
	*guard = xmalloc(sizeof(**guard));
	(*guard)->pid = pid;
	(*guard)->orders = fdopen(fd[1], "w");
	return 0;
}

bool guard_lives(const struct guard *guard)
{
	return !waitpid(guard->pid, NULL, WNOHANG);
}

void guard_process_send(struct guard *guard, const char *line)
{
	fputs(line, guard->orders);
	fflush(guard->orders);
}

void guard_process_leave(struct guard *guard, bool wait)
{
	fclose(guard->orders);
	while (wait && waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(guard);
}
