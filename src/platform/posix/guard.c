/*
 * The guard reads lines from a pipe: "recorder PID", "undo PATH<tab>VALUE", "later", "bye". The end of the pipe
 * without a "bye" means that stagetrace is gone.
 */
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

#include "platform/build_tree.h"
#include "platform/clock.h"
#include "platform/setting.h"
#include "util/alloc.h"
#include "util/strvec.h"
#include "util/text.h"

#define GRACE_NS          (3 * NS_PER_S)
#define UNDO_PATIENCE_NS  (24 * 3600 * NS_PER_S)
#define RECORDER_GRACE_NS (60 * NS_PER_S)

struct guard {
	pid_t pid;
	FILE *orders;
};

/*
 * When a process started, in ticks since boot; 0 where it is gone or a zombie. Tells a process from a later one of
 * the same pid; its environment may be closed to us, as that of a perf with capabilities of its own is.
 */
static long long start_of(int64_t pid)
{
	char path[64], stat[1024] = "", state = 'Z';
	long long start = 0;
	const char *rest;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%lld/stat", (long long)pid);
	file = pid > 0 ? fopen(path, "re") : NULL;
	if (!file)
		return 0;
	rest = fgets(stat, sizeof(stat), file) ? strrchr(stat, ')') : NULL;
	fclose(file);
	/* Fields 3 and 22 of proc(5). */
	if (!rest ||
	    sscanf(rest,
		   ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
		   "%*d %lld",
		   &state, &start) != 2)
		return 0;
	return state == 'Z' ? 0 : start;
}

struct recorder {
	int64_t pid;
	long long start;
};

static bool is_alive(const struct recorder *recorder)
{
	return recorder->start && start_of(recorder->pid) == recorder->start;
}

static void end_recorder(const struct recorder *recorder)
{
	int64_t end = clock_now() + RECORDER_GRACE_NS;

	if (!is_alive(recorder))
		return;
	kill((pid_t)recorder->pid, SIGINT);
	while (clock_now() < end && is_alive(recorder))
		clock_sleep(50 * NS_PER_MS);
	if (is_alive(recorder))
		kill((pid_t)recorder->pid, SIGKILL);
}

/* PATH, a tab, VALUE with its blanks and tabs; false where it can't be written now. */
static bool undo(const char *line)
{
	const char *tab = strchr(line, '\t');
	struct err err = ERR_INIT;
	char *path;
	int rc;

	if (!tab)
		return true;
	path = xstrndup(line, (size_t)(tab - line));
	rc = setting_write(path, tab + 1, &err);
	free(path);
	err_clear(&err);
	return !rc;
}

/*
 * The kernel refuses some settings for as long as they are in use, as by another recording: whoever changed
 * one waits for that to end, however long.
 */
static void undo_all(struct strvec *undos)
{
	int64_t end = clock_now() + UNDO_PATIENCE_NS;

	while (undos->nr && clock_now() < end) {
		for (size_t i = undos->nr; i-- > 0;) {
			if (undo(undos->v[i]))
				strvec_remove(undos, i);
		}
		if (undos->nr)
			clock_sleep(NS_PER_S / 2);
	}
}

static _Noreturn void run_guard(const char *cookie, int orders)
{
	struct strvec undos = STRVEC_INIT;
	FILE *in = fdopen(orders, "r");
	struct recorder recorder = { 0, 0 };
	char line[4096];

	while (in && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, "bye"))
			_exit(0);
		if (!strcmp(line, "later")) {
			undo_all(&undos);
			_exit(0);
		}
		if (text_starts_with(line, "recorder ")) {
			recorder.pid = atoll(line + strlen("recorder "));
			recorder.start = start_of(recorder.pid);
		} else if (text_starts_with(line, "undo ")) {
			strvec_push(&undos, line + strlen("undo "));
		}
	}
	build_tree_end(cookie, recorder.pid, GRACE_NS);
	end_recorder(&recorder);
	build_tree_end(cookie, 0, 0);
	undo_all(&undos);
	_exit(0);
}

/* Nothing of the parent's may be held open by the guard: a pipe to a waiting `tee` least of all. */
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

int guard_start(const char *cookie, struct guard **guard, struct err *err)
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
		setsid();
		prctl(PR_SET_NAME, "stagetrace-grd");
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		close_others(fd[0]);
		if (chdir("/"))
			_exit(1);
		run_guard(cookie, fd[0]);
	}
	close(fd[0]);
	*guard = xmalloc(sizeof(**guard));
	(*guard)->pid = pid;
	(*guard)->orders = fdopen(fd[1], "w");
	return 0;
}

void guard_set_recorder(struct guard *guard, int64_t pid)
{
	fprintf(guard->orders, "recorder %lld\n", (long long)pid);
	fflush(guard->orders);
}

void guard_add_undo(struct guard *guard, const char *setting, const char *value)
{
	fprintf(guard->orders, "undo %s\t%s\n", setting, value);
	fflush(guard->orders);
}

void guard_leave_undo(struct guard *guard)
{
	if (!guard)
		return;
	fputs("later\n", guard->orders);
	fclose(guard->orders);
	free(guard);
}

void guard_dismiss(struct guard *guard)
{
	if (!guard)
		return;
	fputs("bye\n", guard->orders);
	fclose(guard->orders);
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(guard);
}
