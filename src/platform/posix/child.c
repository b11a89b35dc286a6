#include "platform/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/fs.h"
#include "util/text.h"

#define CAPTURE_LIMIT (1 << 20)

struct pipe_pair {
	int read, write;
};

static int open_pipe(struct pipe_pair *p, struct err *err)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC)) {
		err_set_errno(err, errno, "cannot create a pipe");
		return -1;
	}
	p->read = fd[0];
	p->write = fd[1];
	return 0;
}

static void close_pipe(const struct pipe_pair *p)
{
	close(p->read);
	close(p->write);
}

static void set_environment(const struct strvec *env)
{
	for (size_t i = 0; env && i < env->nr; i++)
		putenv(env->v[i]);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child: send the reason to the parent and exit. */
static _Noreturn void give_up(int status)
{
	int errnum = errno;
	ssize_t ignored = write(status, &errnum, sizeof(errnum));

	(void)ignored;
	_exit(127);
}

static _Noreturn void run_child(const struct child_options *options, int hold, int status,
				int output)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char go;

	setpgid(0, 0);
	reset_signals();
	if (null < 0 || dup2(null, 0) < 0)
		give_up(status);
	if (dup2(output < 0 ? null : output, 1) < 0 || dup2(output < 0 ? null : output, 2) < 0)
		give_up(status);
	if (read(hold, &go, 1) != 1)
		_exit(127);
	if (options->cwd && chdir(options->cwd))
		give_up(status);
	set_environment(options->env);
	execvp(options->argv->v[0], options->argv->v);
	give_up(status);
}

static int open_output(const char *path, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		      0600);
	struct stat st;

	if (fd < 0)
		return err_set_errno(err, errno, "cannot write '%s'", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, ERR_UNSUPPORTED, "cannot write '%s': it is not a regular file",
			       path);
	}
	fcntl(fd, F_SETFL, O_APPEND);
	return fd;
}

/* Fork the waiting child. `output` is a descriptor or -1; the caller still has to close it. */
static int fork_child(const struct child_options *options, int output, struct child *child,
		      struct err *err)
{
	struct pipe_pair hold = { -1, -1 }, status = { -1, -1 };
	pid_t pid;

	/* If our parent ignored SIGCHLD we inherited that, and the system would discard exit codes. */
	signal(SIGCHLD, SIG_DFL);
	if (open_pipe(&hold, err))
		return -1;
	if (open_pipe(&status, err)) {
		close_pipe(&hold);
		return -1;
	}
	pid = fork();
	if (pid < 0) {
		close_pipe(&hold);
		close_pipe(&status);
		return err_set_errno(err, errno, "cannot start a process");
	}
	if (!pid) {
		close(hold.write);
		close(status.read);
		run_child(options, hold.read, status.write, output);
	}
	setpgid(pid, pid);
	close(hold.read);
	close(status.write);
	*child = (struct child){ .pid = pid, .hold = hold.write, .status = status.read };
	return 0;
}

int child_start(const struct child_options *options, struct child *child, struct err *err)
{
	int output = -1, rc;

	if (options->output) {
		output = open_output(options->output, err);
		if (output < 0)
			return -1;
	}
	rc = fork_child(options, output, child, err);
	if (output >= 0)
		close(output);
	return rc;
}

/*
 * EACCES has two causes: the program exists but may not be run; or it does not exist, and a directory in PATH may not be
 * searched.
 */
static bool is_missing(const char *program, int errnum)
{
	char *found;

	if (errnum != EACCES || strchr(program, '/'))
		return errnum == ENOENT;
	found = fs_find_program(program);
	free(found);
	return !found;
}

int child_release(struct child *child, const struct child_options *options, struct err *err)
{
	const char *program = options->argv->v[0];
	int errnum = 0;
	ssize_t got;

	got = write(child->hold, "", 1);
	close(child->hold);
	child->hold = -1;
	do {
		got = read(child->status, &errnum, sizeof(errnum));
	} while (got < 0 && errno == EINTR);
	close(child->status);
	child->status = -1;
	if (got != sizeof(errnum))
		return 0;
	child_wait(child, NS_PER_S);
	if (options->cwd && access(options->cwd, X_OK))
		return err_set_errno(err, errno, "cannot enter '%s' to run '%s'", options->cwd,
				     program);
	if (is_missing(program, errnum))
		return err_set(err, ERR_NOT_FOUND, "cannot run '%s': no such program", program);
	return err_set_errno(err, errnum, "cannot run '%s'", program);
}

static void note_end(struct child *child, int status)
{
	child->ended = true;
	child->exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool child_poll(struct child *child)
{
	int status = 0;
	pid_t got;

	if (child->ended)
		return true;
	got = waitpid((pid_t)child->pid, &status, WNOHANG);
	if (got == (pid_t)child->pid)
		note_end(child, status);
	else if (got < 0 && errno == ECHILD)
		note_end(child, 127 << 8);
	return child->ended;
}

bool child_wait(struct child *child, int64_t timeout_ns)
{
	int64_t end = clock_now() + timeout_ns;

	while (!child_poll(child)) {
		if (clock_now() >= end)
			return false;
		clock_sleep(2 * NS_PER_MS);
	}
	return true;
}

void child_signal(const struct child *child, enum child_signal sig)
{
	static const int numbers[] = {
		[CHILD_INTERRUPT] = SIGINT,
		[CHILD_TERMINATE] = SIGTERM,
		[CHILD_KILL] = SIGKILL,
	};

	if (!child->ended)
		kill((pid_t)child->pid, numbers[sig]);
}

/*
 * Read until the end of the output or the deadline. Output above the limit is read and dropped, so that a full pipe
 * does not block the command. A daemon may keep the pipe open, so the end of the command ends the reading too.
 */
static void drain(int fd, int64_t deadline, struct child *child, struct strbuf *output)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	size_t room = CAPTURE_LIMIT;

	while (clock_now() < deadline) {
		bool ended = child_poll(child);
		int ready = poll(&pfd, 1, ended ? 0 : 20);
		char buf[4096];
		ssize_t got;

		if (!ready && ended)
			break;
		if (ready <= 0)
			continue;
		got = read(fd, buf, sizeof(buf));
		if (got <= 0)
			break;
		if ((size_t)got > room)
			got = (ssize_t)room;
		strbuf_add(output, buf, (size_t)got);
		room -= (size_t)got;
	}
}

int child_capture(const struct strvec *argv, const char *cwd, int64_t timeout_ns,
		  struct strbuf *output, int64_t *exit_code, struct err *err)
{
	struct child_options options = { .argv = argv, .cwd = cwd };
	int64_t deadline = clock_now() + timeout_ns;
	struct pipe_pair out = { -1, -1 };
	struct child child;
	int rc;

	if (open_pipe(&out, err))
		return -1;
	rc = fork_child(&options, out.write, &child, err);
	close(out.write);
	if (!rc)
		rc = child_release(&child, &options, err);
	if (!rc) {
		drain(out.read, deadline, &child, output);
		if (!child_wait(&child, deadline - clock_now())) {
			kill(-(pid_t)child.pid, SIGKILL);
			child_wait(&child, NS_PER_S);
			rc = err_set(err, ERR_FAILED, "'%s' did not end in time", argv->v[0]);
		}
		*exit_code = child.exit_code;
	}
	close(out.read);
	return rc;
}

bool exit_code_is_crash(int64_t exit_code)
{
	return exit_code > 128;
}

void exit_code_add_failure(struct strbuf *sb, int64_t exit_code)
{
	if (exit_code_is_crash(exit_code))
		strbuf_addf(sb, "was ended by signal %d", (int)exit_code - 128);
	else
		strbuf_addf(sb, "failed with exit code %d", (int)exit_code);
}
