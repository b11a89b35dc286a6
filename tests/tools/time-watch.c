/*
 * Runs many short processes under the process watch, and prints what it saw of them and the CPU time that it took, for
 * tests/bench/watch-load.sh.
 *
 *     time-watch PROCESSES [poll]
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/proc_watch.h"
#include "util/err.h"
#include "util/text.h"

#define AT_ONCE 4

extern char **environ;

struct tally {
	size_t started, with_arguments, ended, with_usage;
};

/* Several at a time; each has its number as argument. */
static void run_short(size_t nr)
{
	pid_t pids[AT_ONCE] = { 0 };

	for (size_t i = 0; i < nr + AT_ONCE; i++) {
		char program[] = "/bin/true", number[32];
		char *argv[] = { program, number, NULL };

		snprintf(number, sizeof(number), "%zu", i);
		if (i >= AT_ONCE)
			waitpid(pids[i % AT_ONCE], NULL, 0);
		if (i < nr && posix_spawn(&pids[i % AT_ONCE], argv[0], NULL, NULL, argv, environ))
			exit(1);
	}
}

static struct tally tally(struct proc_watch *watch)
{
	struct tally sum = { 0 };
	struct proc_event event;

	proc_event_init(&event);
	while (proc_watch_next(watch, &event)) {
		sum.started += event.kind == PROC_FORK;
		sum.with_arguments += event.kind == PROC_EXEC && event.argv.nr == 2;
		sum.ended += event.kind == PROC_EXIT;
		sum.with_usage += event.kind == PROC_USAGE && event.cpu_ns > 0;
		proc_event_release(&event);
		proc_event_init(&event);
	}
	proc_event_release(&event);
	return sum;
}

/* CPU time of all threads but this one: the watch's. */
static double watch_cpu_s(void)
{
	struct timespec all, own;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
	return (double)(all.tv_sec - own.tv_sec) + (double)(all.tv_nsec - own.tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
	static const char *const no_names[] = { NULL };
	struct proc_watch_options options = { .env_names = no_names, .poll_only = argc > 2 };
	struct proc_watch_status status;
	struct proc_watch *watch;
	struct err err = ERR_INIT;
	struct tally sum;
	int64_t nr, start;

	if (argc < 2 || argc > 3 || (argc > 2 && strcmp(argv[2], "poll")) ||
	    !text_parse_int(argv[1], 1, 10000000, &nr)) {
		fprintf(stderr, "usage: time-watch PROCESSES [poll]\n");
		return 2;
	}
	if (proc_watch_start(&options, &watch, &err)) {
		fprintf(stderr, "time-watch: %s\n", err.msg);
		return 1;
	}
	proc_watch_add_root(watch, getpid(), false);
	start = clock_now();
	run_short((size_t)nr);
	proc_watch_stop(watch);
	proc_watch_get_status(watch, &status);
	printf("%s: %lld processes in %.1f s, CPU time of the watch %.2f s: ", status.method,
	       (long long)nr, (double)(clock_now() - start) / NS_PER_S, watch_cpu_s());
	sum = tally(watch);
	printf("%zu seen, %zu with arguments, %zu ended, %zu with usage; argv_lost %lld, "
	       "lost_events "
	       "%lld, lost_usage %lld, may_have_missed %lld\n",
	       sum.started, sum.with_arguments, sum.ended, sum.with_usage,
	       (long long)status.argv_lost, (long long)status.lost_events,
	       (long long)status.lost_usage, (long long)status.may_have_missed);
	proc_watch_free(watch);
	return 0;
}
