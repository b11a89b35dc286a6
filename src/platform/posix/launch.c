#include "platform/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the grandchild, whose parent has ended: run the program, or write the reason why it cannot be run to `status`. */
static _Noreturn void become(const struct strvec *argv, const struct strvec *env, int status)
{
	int null = open("/dev/null", O_RDWR), errnum;
	ssize_t ignored;

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	for (size_t i = 0; i < env->nr; i++)
		putenv(env->v[i]);
	execv(argv->v[0], argv->v);
	errnum = errno;
	ignored = write(status, &errnum, sizeof(errnum));
	(void)ignored;
	_exit(127);
}

/* Fork twice, so that nobody has to wait for the program. */
static int fork_twice(const struct strvec *argv, const struct strvec *env, int status)
{
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (pid) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return 0;
	}
	setsid();
	pid = fork();
	if (!pid)
		become(argv, env, status);
	_exit(0);
}

int launch(const struct strvec *argv, const struct strvec *env, struct err *err)
{
	int fds[2], errnum;
	ssize_t got;

	if (pipe2(fds, O_CLOEXEC))
		return err_set_errno(err, errno, "cannot create a pipe");
	errnum = fork_twice(argv, env, fds[1]);
	close(fds[1]);
	/* The pipe is closed when the program starts. */
	do {
		got = errnum ? 0 : read(fds[0], &errnum, sizeof(errnum));
	} while (got < 0 && errno == EINTR);
	close(fds[0]);
	return errnum ? err_set_errno(err, errnum, "cannot run '%s'", argv->v[0]) : 0;
}
