#include "watch_log.h"

/* A process that is looked at lives so long: by polling, it is seen every 50 ms on a machine with nothing else to do. */
#define STAY_MS 1000

static int number_at(int argc, char **argv, int at)
{
	return at < argc ? atoi(argv[at]) : 0;
}

/* In a directory and with a name that are not ASCII. */
static int run_where(void)
{
	wchar_t path[MAX_PATH + 16];
	PROCESS_INFORMATION info;
	DWORD code;

	GetTempPathW(MAX_PATH, path);
	wcscat(path, L"st\xe4getr\x20ac"
		     L"ce");
	CreateDirectoryW(path, NULL);
	SetCurrentDirectoryW(path);
	SetEnvironmentVariableW(L"stagetrace_TEST_word", L"\U0001f980 = 1");
	SetEnvironmentVariableW(L"OTHER_TEST_WORD", L"no");
	info = start_held(L"exit 7 \"a \\\"b\\\" \\\\\" \"\" \U0001f980 c:\\x\\", 0);
	resume(&info);
	code = wait_for(&info);
	SetCurrentDirectoryW(L"C:\\");
	RemoveDirectoryW(path);
	return (int)code;
}

static int run_memory(int megabytes)
{
	size_t size = (size_t)megabytes << 20;
	char *memory = VirtualAlloc(NULL, size, MEM_COMMIT | MEM_RESERVE, PAGE_READWRITE);

	memset(memory, 1, size);
	Sleep(STAY_MS);
	VirtualFree(memory, 0, MEM_RELEASE);
	return 0;
}

/* Its exit code is what it has used, in milliseconds. */
static int run_burn(int ms)
{
	FILETIME created, exited, kernel, user;
	uint64_t used;

	do {
		GetProcessTimes(GetCurrentProcess(), &created, &exited, &kernel, &user);
		used = ((uint64_t)user.dwHighDateTime << 32 | user.dwLowDateTime) +
		       ((uint64_t)kernel.dwHighDateTime << 32 | kernel.dwLowDateTime);
	} while (used < (uint64_t)ms * 10000);
	Sleep(STAY_MS);
	return (int)(used / 10000);
}

/* As cl.exe starts mspdbsrv.exe. */
static int run_breakaway(void)
{
	PROCESS_INFORMATION info = start_held(L"sleep 1200", CREATE_BREAKAWAY_FROM_JOB);

	resume(&info);
	return (int)info.dwProcessId;
}

static int run_mode(int argc, char **argv)
{
	int value = number_at(argc, argv, 2);

	if (!strcmp(argv[1], "exit")) {
		Sleep(STAY_MS);
		return value;
	}
	if (!strcmp(argv[1], "where"))
		return run_where();
	if (!strcmp(argv[1], "memory"))
		return run_memory(value);
	if (!strcmp(argv[1], "burn"))
		return run_burn(value);
	if (!strcmp(argv[1], "breakaway"))
		return run_breakaway();
	if (!strcmp(argv[1], "crash"))
		ExitProcess(0xc0000005);
	Sleep((DWORD)value);
	return 0;
}

static void proc_watch__arguments_directory_environment__are_those_of_the_child(void **state)
{
	const struct proc_event *exec = NULL;
	struct log log;
	int64_t root;

	(void)state;
	log_start(&log);
	root = run_tracked(&log, L"where");
	log_stop(&log);
	for (size_t i = 0; i < log.nr; i++) {
		if (log.events[i].kind == PROC_EXEC && log.events[i].ppid == root)
			exec = &log.events[i];
	}
	assert_non_null(exec);
	assert_int_equal(exec->argv.nr, 7);
	assert_string_equal(exec->argv.v[1], "exit");
	assert_string_equal(exec->argv.v[3], "a \"b\" \\");
	assert_string_equal(exec->argv.v[4], "");
	assert_string_equal(exec->argv.v[5], "\xf0\x9f\xa6\x80");
	assert_string_equal(exec->argv.v[6], "c:\\x\\");
	assert_true(text_ends_with(exec->cwd, "\\st\xc3\xa4getr\xe2\x82\xac"
					      "ce"));
	assert_true(text_ends_with(exec->exe, ".exe"));
	assert_true(exec->exe[1] == ':');
	assert_int_equal(exec->env.nr, 1);
	assert_string_equal(exec->env.v[0], "stagetrace_TEST_word=\xf0\x9f\xa6\x80 = 1");
	assert_int_equal(must_find(&log, exec->pid, PROC_EXIT)->exit_code, 7);
	log_release(&log);
}

static void proc_watch__memory__peaks_are_of_the_process(void **state)
{
	const struct proc_event *usage;
	struct log log;
	int64_t pid;

	(void)state;
	log_start(&log);
	pid = run_tracked(&log, L"memory 64");
	log_stop(&log);
	usage = must_find(&log, pid, PROC_USAGE);
	assert_in_range(usage->peak_rss_bytes, 64 << 20, 200 << 20);
	assert_in_range(usage->peak_commit_bytes, 64 << 20, 200 << 20);
	log_release(&log);
}

static void proc_watch__cpu_time__is_that_of_the_process(void **state)
{
	const struct proc_event *usage;
	struct log log;
	int64_t pid, idle, used;

	(void)state;
	log_start(&log);
	pid = run_tracked(&log, L"burn 400");
	idle = run_tracked(&log, L"sleep 100");
	log_stop(&log);
	usage = must_find(&log, pid, PROC_USAGE);
	used = must_find(&log, pid, PROC_EXIT)->exit_code * NS_PER_MS;
	assert_in_range(usage->cpu_ns, 350 * NS_PER_MS, used + 200 * NS_PER_MS);
	assert_true(must_find(&log, idle, PROC_USAGE)->cpu_ns < 200 * NS_PER_MS);
	log_release(&log);
}

static void proc_watch__times__are_those_of_start_and_end(void **state)
{
	const struct proc_event *start, *end;
	struct log log;
	int64_t pid, before, after;

	(void)state;
	log_start(&log);
	before = clock_now();
	pid = run_tracked(&log, L"sleep 300");
	log_stop(&log);
	after = clock_now();
	start = must_find(&log, pid, PROC_FORK);
	end = must_find(&log, pid, PROC_EXIT);
	assert_in_range(start->time_ns, before - 30 * NS_PER_MS, after);
	assert_in_range(end->time_ns, start->time_ns + 270 * NS_PER_MS, after);
	log_release(&log);
}

static void proc_watch__root_not_included__only_what_it_starts_is_reported(void **state)
{
	struct log log;
	PROCESS_INFORMATION info = start_held(L"where", 0);
	size_t starts = 0;

	(void)state;
	log_start(&log);
	proc_watch_add_root(log.watch, info.dwProcessId, false);
	resume(&info);
	wait_for(&info);
	log_stop(&log);
	assert_null(find(&log, info.dwProcessId, PROC_FORK, 0));
	assert_null(find(&log, info.dwProcessId, PROC_EXEC, 0));
	assert_null(find(&log, info.dwProcessId, PROC_EXIT, 0));
	assert_null(find(&log, info.dwProcessId, PROC_USAGE, 0));
	for (size_t i = 0; i < log.nr; i++)
		starts += log.events[i].kind == PROC_FORK && log.events[i].ppid == info.dwProcessId;
	assert_int_equal(starts, 1);
	log_release(&log);
}

static void proc_watch__started_outside_the_job__is_found_and_counted(void **state)
{
	struct log log;
	int64_t pid, child, start = clock_now();

	(void)state;
	log_start(&log);
	pid = run_tracked(&log, L"breakaway");
	do {
		clock_sleep(20 * NS_PER_MS);
		log_drain(&log);
		child = find(&log, pid, PROC_EXIT, 0) ? find(&log, pid, PROC_EXIT, 0)->exit_code
						      : 0;
	} while ((!child || !find(&log, child, PROC_EXIT, 0)) &&
		 clock_now() < start + 60 * NS_PER_S);
	log_stop(&log);
	assert_int_equal(must_find(&log, child, PROC_EXEC)->ppid, pid);
	assert_string_equal(must_find(&log, child, PROC_EXEC)->argv.v[1], "sleep");
	assert_in_range(must_find(&log, child, PROC_EXIT)->time_ns -
				must_find(&log, child, PROC_FORK)->time_ns,
			1100 * NS_PER_MS, clock_now() - start);
	assert_int_equal(must_find(&log, child, PROC_EXIT)->exit_code, 0);
	assert_int_equal(log.status.broke_away, polling ? 0 : 1);
	log_release(&log);
}

static void proc_watch_stop__still_running__reports_its_usage(void **state)
{
	PROCESS_INFORMATION info = start_held(L"sleep 20000", 0);
	struct log log;

	(void)state;
	log_start(&log);
	proc_watch_add_root(log.watch, info.dwProcessId, true);
	resume(&info);
	clock_sleep(300 * NS_PER_MS);
	log_stop(&log);
	proc_watch_stop(log.watch);
	must_find(&log, info.dwProcessId, PROC_EXEC);
	assert_null(find(&log, info.dwProcessId, PROC_EXIT, 0));
	assert_true(must_find(&log, info.dwProcessId, PROC_USAGE)->peak_rss_bytes > 0);
	log_release(&log);
	/* The watch's end is not the build's. */
	assert_int_equal(WaitForSingleObject(info.hProcess, 0), WAIT_TIMEOUT);
	TerminateProcess(info.hProcess, 3);
	wait_for(&info);
}

static void proc_watch__exit_code_of_an_exception__is_reported_whole(void **state)
{
	struct log log;
	int64_t pid;

	(void)state;
	log_start(&log);
	pid = run_tracked(&log, L"crash");
	log_stop(&log);
	assert_int_equal(must_find(&log, pid, PROC_EXIT)->exit_code, INT64_C(0xc0000005));
	assert_int_equal(must_find(&log, pid, PROC_EXIT)->signal, 0);
	log_release(&log);
}

static void proc_watch_get_status__method__is_reported(void **state)
{
	struct log log;

	(void)state;
	log_start(&log);
	proc_watch_get_status(log.watch, &log.status);
	assert_string_equal(log.status.method,
			    polling ? "polling the list of processes" : "job object");
	assert_int_equal(log.status.why_not[0] != '\0', polling);
	log_stop(&log);
	assert_int_equal(log.nr, 0);
	log_release(&log);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			proc_watch__arguments_directory_environment__are_those_of_the_child),
		cmocka_unit_test(proc_watch__memory__peaks_are_of_the_process),
		cmocka_unit_test(proc_watch__cpu_time__is_that_of_the_process),
		cmocka_unit_test(proc_watch__times__are_those_of_start_and_end),
		cmocka_unit_test(proc_watch__root_not_included__only_what_it_starts_is_reported),
		cmocka_unit_test(proc_watch__started_outside_the_job__is_found_and_counted),
		cmocka_unit_test(proc_watch_stop__still_running__reports_its_usage),
		cmocka_unit_test(proc_watch__exit_code_of_an_exception__is_reported_whole),
		cmocka_unit_test(proc_watch_get_status__method__is_reported),
	};
	int failed;

	SetErrorMode(SEM_NOGPFAULTERRORBOX);
	if (argc > 1)
		return run_mode(argc, argv);
	failed = cmocka_run_group_tests_name("job object", tests, NULL, NULL);
	polling = true;
	failed += cmocka_run_group_tests_name("polling", tests, NULL, NULL);
	return failed;
}
