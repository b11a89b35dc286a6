/*
 * The process watch with real processes. With an argument this program is one of those processes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>

#include "watch_log.h"

#include "util/alloc.h"

/* What is watched by polling lives until it was looked at: a shell waits for the end of this file, a pipe. */
#define GATE 9
#define STAY "read _ <&9"

/* Of memory it is not reported that it was looked at. */
#define STAY_MS 1500

/* The processes that the tests watch. */

static void *burn(void *data)
{
	struct timespec ts;
	int64_t until = *(int64_t *)data;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	while (ts.tv_sec * NS_PER_S + ts.tv_nsec < until);
	return NULL;
}

static int child_burn(const char *value)
{
	int64_t until = atoi(value) * NS_PER_MS;
	pthread_t threads[3];

	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_create(&threads[i], NULL, burn, &until);
	burn(&until);
	for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	return 4;
}

static int child_touch(const char *value)
{
	size_t size = (size_t)atoi(value) << 20;
	volatile char *memory = malloc(size);

	for (size_t i = 0; memory && i < size; i += 1024)
		memory[i] = 1;
	sleep_ms(STAY_MS);
	free((void *)memory);
	return 0;
}

static void *run_other(void *data)
{
	sleep_ms(20);
	execl("/bin/sh", "sh", "-c", data, (char *)NULL);
	return NULL;
}

static int child_thread_exec(const char *value)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run_other, (void *)value);
	pthread_join(thread, NULL);
	return 1;
}

static void *leave_late(void *data)
{
	sleep_ms(60);
	exit(atoi(data));
}

static int child_leader_leaves(const char *value)
{
	pthread_t thread;

	pthread_create(&thread, NULL, leave_late, (void *)value);
	pthread_exit(NULL);
}

static int child_daemon(const char *value)
{
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			sleep_ms(50);
			execl("/bin/sh", "daemon", "-c", value, (char *)NULL);
		}
		_exit(0);
	}
	/* It outlives us. */
	return 0;
}

/* As setproctitle() does it. */
static int child_title(const char *value)
{
	sleep_ms(60);
	memset((char *)value, 0, strlen(value));
	sleep_ms(100);
	return 0;
}

static const struct {
	const char *mode;
	int (*run)(const char *value);
} modes[] = {
	{ "burn", child_burn },
	{ "touch", child_touch },
	{ "thread-exec", child_thread_exec },
	{ "leader-leaves", child_leader_leaves },
	{ "daemon", child_daemon },
	{ "title", child_title },
};

/* Both ways of watching. */

/* Without a gate GATE is reserved, so that no watch gets that descriptor. */
static void reserve_gate(void)
{
	int file = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (file < 0 || (file != GATE && dup3(file, GATE, O_CLOEXEC) < 0))
		abort();
	if (file != GATE)
		close(file);
}

/* The other end of the pipe. */
static int close_gate(void)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], GATE), GATE);
	close(ends[0]);
	assert_int_equal(fcntl(ends[1], F_SETFD, FD_CLOEXEC), 0);
	return ends[1];
}

static void open_gate(int end)
{
	close(end);
	reserve_gate();
}

/* Wait until the watch has reported the program of which this is the last argument. */
static void wait_until_seen(struct log *log, int64_t pid, const char *last)
{
	for (int i = 0; i < 3000; i++) {
		const struct proc_event *event;

		log_drain(log);
		for (size_t nth = 0; (event = find(log, pid, PROC_EXEC, nth)); nth++) {
			if (event->argv.nr && !strcmp(event->argv.v[event->argv.nr - 1], last))
				return;
		}
		sleep_ms(10);
	}
	fail_msg("the program '%s' of process %lld was not seen", last, (long long)pid);
}

/* Run what waits at the gate, until its last program was seen. */
static pid_t run_seen(struct log *log, const char *const *argv, const char *last)
{
	int gate = close_gate();
	pid_t pid = start(argv);

	wait_until_seen(log, pid, last);
	open_gate(gate);
	finish(pid, NULL);
	return pid;
}

static void watch__exit_code_and_signal__are_reported(void **state)
{
	const char *coded[] = { "/bin/sh", "-c", STAY "; exit 3", NULL };
	const char *killed[] = { "/bin/sh", "-c", STAY "; kill -9 $$", NULL };
	const struct proc_event *event;
	struct log log;
	pid_t one, two;

	(void)state;
	log_start(&log, 0);
	one = run_seen(&log, coded, coded[2]);
	two = run_seen(&log, killed, killed[2]);
	log_stop(&log);
	event = must_find(&log, one, PROC_FORK, 0);
	assert_int_equal(event->ppid, getpid());
	event = must_find(&log, one, PROC_EXEC, 0);
	assert_int_equal(event->argv.nr, 3);
	assert_string_equal(event->argv.v[2], coded[2]);
	assert_non_null(event->exe);
	event = must_find(&log, one, PROC_EXIT, 0);
	if (event->exit_code >= 0 || !polling) {
		assert_int_equal(event->exit_code, 3);
		assert_int_equal(event->signal, 0);
	}
	event = must_find(&log, two, PROC_EXIT, 0);
	if (event->exit_code >= 0 || !polling) {
		assert_int_equal(event->exit_code, 137);
		assert_int_equal(event->signal, SIGKILL);
	}
	assert_int_equal(count(&log, one, PROC_EXIT), 1);
	log_release(&log);
}

static void watch__strange_arguments__kept(void **state)
{
	char *large = xmalloc(100 * 1024 + 1);
	const char *argv[] = { "/bin/sh", "-c",  STAY,   "two\nlines", "bad \xff\xc3 utf-8",
			       "",        large, "last", "",           NULL };
	const struct proc_event *event;
	struct log log;
	pid_t pid;

	(void)state;
	memset(large, 'x', 100 * 1024);
	large[100 * 1024] = '\0';
	log_start(&log, 0);
	pid = run_seen(&log, argv, "");
	log_stop(&log);
	event = must_find(&log, pid, PROC_EXEC, 0);
	assert_int_equal(event->argv.nr, ARRAY_SIZE(argv) - 1);
	for (size_t i = 1; argv[i]; i++)
		assert_string_equal(event->argv.v[i], argv[i]);
	log_release(&log);
	free(large);
}

static void watch__arguments_of_2_mb__kept(void **state)
{
	const char *argv[4 + 20 + 1] = { "/bin/sh", "-c", STAY, "name" };
	char *large = xmalloc(100 * 1000 + 1);
	const struct proc_event *event;
	struct log log;
	pid_t pid;

	(void)state;
	memset(large, 'y', 100 * 1000);
	large[100 * 1000] = '\0';
	for (size_t i = 4; i < ARRAY_SIZE(argv) - 1; i++)
		argv[i] = large;
	log_start(&log, 0);
	pid = run_seen(&log, argv, large);
	log_stop(&log);
	event = must_find(&log, pid, PROC_EXEC, 0);
	assert_int_equal(event->argv.nr, ARRAY_SIZE(argv) - 1);
	assert_string_equal(event->argv.v[23], large);
	log_release(&log);
	free(large);
}

static void watch__responses_cwd_and_env__read(void **state)
{
	char dir[] = "/tmp/stagetrace-watch-XXXXXX";
	char *path, *absolute, *linker;
	const struct proc_event *event;
	struct log log;
	FILE *file;
	pid_t pid;
	int gate;

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/args", dir);
	absolute = xasprintf("@%s", path);
	linker = xasprintf("-Wl,@%s", path);
	file = fopen(path, "w");
	assert_non_null(file);
	fwrite("--crate-name\nco\0re\n", 1, 19, file);
	fclose(file);
	setenv("STAGETRACE_TEST_KEPT", "a=b", 1);
	setenv("STAGETRACE_OTHER", "c", 1);
	gate = close_gate();
	log_start(&log, 0);
	pid = fork();
	if (pid == 0) {
		if (chdir(dir) < 0)
			_exit(1);
		execl("/bin/sh", "sh", "-c", STAY, "@args", absolute, linker, "@none", "@",
		      (char *)NULL);
		_exit(1);
	}
	wait_until_seen(&log, pid, "@");
	open_gate(gate);
	finish(pid, NULL);
	log_stop(&log);
	event = must_find(&log, pid, PROC_EXEC, 0);
	assert_string_equal(event->cwd, dir);
	assert_int_equal(event->env.nr, 1);
	assert_string_equal(event->env.v[0], "STAGETRACE_TEST_KEPT=a=b");
	assert_int_equal(event->responses.nr, 6);
	assert_string_equal(event->responses.v[0], "args");
	assert_string_equal(event->responses.v[1], "--crate-name\nco\nre\n");
	assert_string_equal(event->responses.v[2], path);
	assert_string_equal(event->responses.v[5], event->responses.v[1]);
	log_release(&log);
	unlink(path);
	rmdir(dir);
	free(path);
	free(absolute);
	free(linker);
}

static void watch__chain_of_programs__last_is_known(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "exec sh -c 'exec sh -c \"" STAY "; exit 6\" c' b",
			       "a", NULL };
	const struct proc_event *event;
	size_t programs;
	struct log log;
	pid_t pid;

	(void)state;
	log_start(&log, 0);
	pid = run_seen(&log, argv, "c");
	log_stop(&log);
	programs = count(&log, pid, PROC_EXEC);
	if (!polling)
		assert_int_equal(programs, 3);
	event = must_find(&log, pid, PROC_EXEC, programs - 1);
	assert_false(event->argv_lost);
	assert_string_equal(event->argv.v[event->argv.nr - 1], "c");
	for (size_t i = 0; !polling && i + 1 < programs; i++) {
		event = must_find(&log, pid, PROC_EXEC, i);
		if (!event->argv_lost)
			assert_string_equal(event->argv.v[event->argv.nr - 1], i ? "b" : "a");
	}
	log_release(&log);
}

static const struct proc_event *find_daemon(const struct log *log)
{
	for (size_t i = 0; i < log->nr; i++) {
		if (log->events[i].kind == PROC_EXEC && log->events[i].argv.nr &&
		    !strcmp(log->events[i].argv.v[0], "daemon"))
			return &log->events[i];
	}
	return NULL;
}

static void watch__daemon__stays_known(void **state)
{
	const struct proc_event *event = NULL;
	struct log log;
	int64_t pid;
	int gate = close_gate();

	(void)state;
	log_start(&log, 0);
	pid = run_self("daemon", STAY "; exit 9", NULL);
	for (int i = 0; i < 500; i++) {
		sleep_ms(20);
		log_drain(&log);
		event = find_daemon(&log);
		if (event && gate >= 0) {
			open_gate(gate);
			gate = -1;
		}
		if (event ? find(&log, event->pid, PROC_EXIT, 0) != NULL : polling && i > 50)
			break;
	}
	if (gate >= 0)
		open_gate(gate);
	log_stop(&log);
	event = find_daemon(&log);
	if (!event && polling) {
		print_message("polling has missed a daemon whose parents were gone\n");
		log_release(&log);
		return;
	}
	assert_non_null(event);
	assert_int_equal(must_find(&log, event->pid, PROC_EXIT, 0)->exit_code, 9);
	if (!polling)
		assert_int_equal(must_find(&log, pid, PROC_EXIT, 0)->exit_code, 0);
	log_release(&log);
}

/* Without the connector, usage is polled: what comes after the last poll is missing. */
static void watch__threads__one_process_all_their_time(void **state)
{
	int64_t difference = INT64_MAX, expected_ns = 0;

	(void)state;
	/* A busy machine may keep the poller waiting, but not each time. */
	for (int i = 0; i < 5 && difference >= expected_ns / 10; i++) {
		const struct proc_event *usage;
		struct rusage expected;
		struct log log;
		int64_t pid;

		log_start(&log, 0);
		pid = run_self("burn", "100", &expected);
		log_stop(&log);
		assert_int_equal(count(&log, pid, PROC_FORK), 1);
		assert_int_equal(must_find(&log, pid, PROC_EXIT, 0)->exit_code, 4);
		usage = last_usage(&log, pid);
		expected_ns = cpu_ns(&expected);
		difference = llabs(usage->cpu_ns - expected_ns);
		print_message("cpu %.3f ms, rusage %.3f ms\n", usage->cpu_ns / 1e6,
			      expected_ns / 1e6);
		for (size_t k = 0; k < log.nr; k++)
			assert_int_equal(log.events[k].pid, pid);
		log_release(&log);
	}
	assert_true(difference < expected_ns / 10);
}

/* Four threads on one processor: each waits for three others. */
static void watch__one_processor__threads_wait_for_it(void **state)
{
	const struct proc_event *usage;
	cpu_set_t all, one;
	struct log log;
	int64_t pid;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	log_start(&log, 0);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	pid = run_self("burn", "50", NULL);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	log_stop(&log);
	usage = last_usage(&log, pid);
	if (strstr(log.status.method, "taskstats"))
		assert_true(usage->waits.cpu_ns > 2 * usage->cpu_ns / 3);
	else
		assert_int_equal(usage->waits.cpu_ns, -1);
	log_release(&log);
}

static void watch__memory__peak_is_reported(void **state)
{
	const struct proc_event *usage;
	struct log log;
	int64_t pid;

	(void)state;
	log_start(&log, 0);
	pid = run_self("touch", "64", NULL);
	log_stop(&log);
	usage = last_usage(&log, pid);
	assert_in_range(usage->peak_rss_bytes, 64 << 20, 1 << 30);
	log_release(&log);
}

static void watch__title_overwritten__no_program(void **state)
{
	struct log log;
	int64_t pid;

	(void)state;
	log_start(&log, 0);
	pid = run_self("title", "a value to be overwritten with zeros", NULL);
	log_stop(&log);
	assert_int_equal(count(&log, pid, PROC_EXEC), 1);
	assert_string_equal(must_find(&log, pid, PROC_EXEC, 0)->argv.v[1], "title");
	log_release(&log);
}

static void watch__root_included__comes_first(void **state)
{
	struct log log;
	int gate[2], stay = close_gate();
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(gate), 0);
	pid = fork();
	if (pid == 0) {
		close(gate[1]);
		if (read(gate[0], &byte, 1) != 0)
			_exit(1);
		execl("/bin/sh", "sh", "-c", STAY "; exit 8", (char *)NULL);
		_exit(1);
	}
	memset(&log, 0, sizeof(log));
	{
		struct proc_watch_options options = { .poll_only = polling };
		struct err err = ERR_INIT;

		assert_int_equal(proc_watch_start(&options, &log.watch, &err), 0);
	}
	proc_watch_add_root(log.watch, pid, true);
	close(gate[0]);
	close(gate[1]);
	wait_until_seen(&log, pid, STAY "; exit 8");
	open_gate(stay);
	finish(pid, NULL);
	log_stop(&log);
	assert_true(log.nr > 0);
	assert_int_equal(log.events[0].kind, PROC_FORK);
	assert_int_equal(log.events[0].pid, pid);
	assert_int_equal(log.events[0].ppid, getpid());
	assert_string_equal(must_find(&log, pid, PROC_EXEC, 0)->argv.v[0], "sh");
	assert_int_equal(must_find(&log, pid, PROC_EXIT, 0)->exit_code, 8);
	log_release(&log);
}

static void watch__left_behind__usage_is_reported(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "exec sleep 60", NULL };
	struct log log;
	pid_t pid;

	(void)state;
	log_start(&log, 0);
	pid = start(argv);
	sleep_ms(50);
	log_stop(&log);
	assert_null(find(&log, pid, PROC_EXIT, 0));
	assert_true(last_usage(&log, pid)->cpu_ns > 0);
	proc_watch_stop(log.watch);
	log_release(&log);
	kill(pid, SIGKILL);
	finish(pid, NULL);
}

/* Only the connector can distinguish these. */

static void watch__thread_runs_program__same_process(void **state)
{
	const struct proc_event *event;
	struct log log;
	int64_t pid;

	(void)state;
	log_start(&log, 0);
	need_connector(&log);
	pid = run_self("thread-exec", "exit 5", NULL);
	log_stop(&log);
	assert_int_equal(count(&log, pid, PROC_EXEC), 2);
	event = must_find(&log, pid, PROC_EXEC, 1);
	assert_string_equal(event->argv.v[2], "exit 5");
	assert_int_equal(count(&log, pid, PROC_EXIT), 1);
	assert_int_equal(must_find(&log, pid, PROC_EXIT, 0)->exit_code, 5);
	log_release(&log);
}

static void watch__first_thread_leaves__ends_with_last(void **state)
{
	struct log log;
	int64_t pid, lasted;

	(void)state;
	log_start(&log, 0);
	need_connector(&log);
	pid = run_self("leader-leaves", "11", NULL);
	log_stop(&log);
	assert_int_equal(count(&log, pid, PROC_EXIT), 1);
	assert_int_equal(must_find(&log, pid, PROC_EXIT, 0)->exit_code, 11);
	lasted = must_find(&log, pid, PROC_EXIT, 0)->time_ns -
		 must_find(&log, pid, PROC_FORK, 0)->time_ns;
	assert_true(lasted >= 60 * NS_PER_MS);
	log_release(&log);
}

static int set_polling(void **state)
{
	(void)state;
	polling = true;
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest both[] = {
		cmocka_unit_test(watch__exit_code_and_signal__are_reported),
		cmocka_unit_test(watch__strange_arguments__kept),
		cmocka_unit_test(watch__arguments_of_2_mb__kept),
		cmocka_unit_test(watch__responses_cwd_and_env__read),
		cmocka_unit_test(watch__chain_of_programs__last_is_known),
		cmocka_unit_test(watch__daemon__stays_known),
		cmocka_unit_test(watch__threads__one_process_all_their_time),
		cmocka_unit_test(watch__one_processor__threads_wait_for_it),
		cmocka_unit_test(watch__memory__peak_is_reported),
		cmocka_unit_test(watch__title_overwritten__no_program),
		cmocka_unit_test(watch__root_included__comes_first),
		cmocka_unit_test(watch__left_behind__usage_is_reported),
	};
	const struct CMUnitTest connector[] = {
		cmocka_unit_test(watch__thread_runs_program__same_process),
		cmocka_unit_test(watch__first_thread_leaves__ends_with_last),
	};
	int failed = 0;

	for (size_t i = 0; argc == 3 && i < ARRAY_SIZE(modes); i++) {
		if (!strcmp(argv[1], modes[i].mode))
			return modes[i].run(argv[2]);
	}
	reserve_gate();
	/* Looking for leaks it starts a process more. */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	failed += cmocka_run_group_tests_name("best way", both, NULL, NULL);
	failed += cmocka_run_group_tests_name("connector", connector, NULL, NULL);
	failed += cmocka_run_group_tests_name("polling", both, set_polling, NULL);
	return failed;
}
