/*
 * The process watch under load, with lost messages and without rights. tests/bench/watch-load.sh measures it.
 */
#include <signal.h>

#include "watch_log.h"

#include "util/alloc.h"

#define AT_ONCE 4

struct busy {
	pid_t pids[2];
};

static void busy_start(struct busy *busy)
{
	for (size_t i = 0; i < ARRAY_SIZE(busy->pids); i++) {
		busy->pids[i] = fork();
		if (busy->pids[i] == 0)
			for (;;)
				;
	}
}

static void busy_stop(const struct busy *busy)
{
	for (size_t i = 0; i < ARRAY_SIZE(busy->pids); i++) {
		kill(busy->pids[i], SIGKILL);
		finish(busy->pids[i], NULL);
	}
}

static bool is_busy(const struct busy *busy, int64_t pid)
{
	return pid == busy->pids[0] || pid == busy->pids[1];
}

/* `nr` short processes, several at a time; each has its number as argument. */
static void run_short(size_t nr, pid_t *pids)
{
	for (size_t i = 0; i < nr; i++) {
		char *number = xasprintf("%zu", i);
		const char *argv[] = { "/bin/true", number, NULL };

		if (i >= AT_ONCE)
			finish(pids[i - AT_ONCE], NULL);
		pids[i] = start(argv);
		free(number);
	}
	for (size_t i = nr < AT_ONCE ? 0 : nr - AT_ONCE; i < nr; i++)
		finish(pids[i], NULL);
}

struct tally {
	size_t seen, argv, ended, usage;
};

/* Numbers of processes may come round again, so the arguments say which is which. */
static struct tally tally(const struct log *log, const struct busy *busy, size_t nr)
{
	struct tally sum = { 0 };
	bool *has = xcalloc(nr, sizeof(*has));

	for (size_t i = 0; i < log->nr; i++) {
		const struct proc_event *event = &log->events[i];
		int64_t number;

		if (is_busy(busy, event->pid))
			continue;
		sum.seen += event->kind == PROC_FORK;
		sum.ended += event->kind == PROC_EXIT && event->exit_code == 0;
		sum.usage += event->kind == PROC_USAGE && event->cpu_ns > 0;
		if (event->kind != PROC_EXEC || event->argv.nr != 2 ||
		    !text_parse_int(event->argv.v[1], 0, (int64_t)nr - 1, &number))
			continue;
		sum.argv += !has[number];
		has[number] = true;
	}
	free(has);
	return sum;
}

static void watch__a_thousand_under_load__all_seen(void **state)
{
	const size_t nr = 1000;
	pid_t *pids = xcalloc(nr, sizeof(*pids));
	struct busy busy;
	struct log log;
	struct tally sum;

	(void)state;
	polling = false;
	busy_start(&busy);
	log_start(&log, 0);
	proc_watch_get_status(log.watch, &log.status);
	run_short(nr, pids);
	log_stop(&log);
	busy_stop(&busy);
	sum = tally(&log, &busy, nr);
	print_message("%s: %zu of %zu seen, %zu with arguments, %zu ended, %zu with usage, %lld "
		      "messages lost\n",
		      log.status.method, sum.seen, nr, sum.argv, sum.ended, sum.usage,
		      (long long)log.status.lost_events);
	if (text_starts_with(log.status.method, "proc connector, taskstats")) {
		assert_int_equal(sum.seen, nr);
		assert_int_equal(sum.ended, nr);
		assert_int_equal(sum.usage, nr);
		assert_int_equal(sum.argv + (size_t)log.status.argv_lost, nr);
		/* A virtual machine's CPUs may both be away for a while. */
		assert_in_range(log.status.argv_lost, 0, nr / 100);
	}
	log_release(&log);
	free(pids);
}

/* Large arguments keep the readers busy while their small buffer runs over. */
static void watch__messages_lost__living_put_right(void **state)
{
	const char *script = "i=0; while [ $i -lt 100 ]; do (:) & i=$((i+1)); done; "
			     "sleep 1 & sleep 1 & wait";
	const char *argv[4 + 19 + 1] = { "/bin/sh", "-c", script, "name" };
	size_t started = 0, ended = 0, sleepers = 0;
	char *large = xmalloc(100 * 1000 + 1);
	pid_t pids[6];
	struct log log;

	(void)state;
	polling = false;
	memset(large, 'z', 100 * 1000);
	large[100 * 1000] = '\0';
	for (size_t i = 4; i < ARRAY_SIZE(argv) - 1; i++)
		argv[i] = large;
	log_start(&log, 2048);
	need_connector(&log);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = start(argv);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		finish(pids[i], NULL);
	log_stop(&log);
	for (size_t i = 0; i < log.nr; i++) {
		const struct proc_event *event = &log.events[i];

		started += event->kind == PROC_FORK;
		ended += event->kind == PROC_EXIT;
		sleepers += event->kind == PROC_EXEC && event->argv.nr == 2 &&
			    !strcmp(event->argv.v[1], "1");
	}
	print_message("%lld messages lost, %zu of %zu processes seen\n",
		      (long long)log.status.lost_events, started, 103 * ARRAY_SIZE(pids));
	assert_int_equal(started, ended);
	assert_in_range(sleepers, 2 * ARRAY_SIZE(pids), 4 * ARRAY_SIZE(pids));
	log_release(&log);
	free(large);
}

/* In a process without rights, so without cmocka: 0 where all is well. */
static int poll_unprivileged(void)
{
	const char *argv[] = { "/bin/sh", "-c", "sleep 0.2; exit 3", "one", NULL };
	const struct proc_event *event;
	struct log log;
	pid_t pid;

	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		return 2;
	polling = true;
	log_start(&log, 0);
	pid = run(argv);
	log_stop(&log);
	event = find(&log, pid, PROC_EXEC, 0);
	if (!find(&log, pid, PROC_FORK, 0) || !event || event->argv.nr != 4 || !event->exe)
		return 3;
	event = find(&log, pid, PROC_EXIT, 0);
	if (!event || (event->exit_code != 3 && event->exit_code != -1))
		return 4;
	if (!find(&log, pid, PROC_USAGE, 0))
		return 5;
	if (strcmp(log.status.method, "polling /proc") != 0)
		return 6;
	log_release(&log);
	return 0;
}

static void watch__no_rights__polls(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0)
		_exit(poll_unprivileged());
	status = finish(pid, NULL);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(watch__a_thousand_under_load__all_seen),
		cmocka_unit_test(watch__messages_lost__living_put_right),
		cmocka_unit_test(watch__no_rights__polls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
