/*
 * The host, the clock, the streams, threads and console events.
 */
#include "platform/host.h"

#include <io.h>

#include "platform/child.h"
#include "platform/clock.h"
#include "platform/program.h"
#include "platform/terminal.h"
#include "platform/thread.h"
#include "unit/windows/again.h"
#include "util/text.h"

static void host_read__this_machine__has_the_facts_that_all_have(void **state)
{
	struct host host;

	(void)state;
	host_read(&host);
	assert_true(host.hostname && *host.hostname);
	assert_non_null(host.arch);
	assert_non_null(host.user);
	assert_true(host.home && host.home[1] == ':');
	/* Wine or not, 10 is what it must be set to; GetVersionEx() would say 6.2. */
	assert_int_equal(strncmp(host.kernel, "Windows NT 10.0.", 16), 0);
	assert_non_null(strstr(host.os, "Windows 1"));
	assert_non_null(strstr(host.os, ", build "));
	assert_true(host.cpus >= 1 && host.cpus < 10000);
	assert_true(host.memory_bytes > 16 << 20);
	assert_true(host.cpu_model && *host.cpu_model && host.cpu_model[0] != ' ');
	host_release(&host);
	assert_null(host.hostname);
	host_release(&host);
	assert_false(host_has_capability(0));
	assert_false(host_program_has_capability("x", 0));
}

/* The rights that an elevated prompt adds. */
static void host_is_admin__membership_in_effect__is_the_same(void **state)
{
	BYTE sid[SECURITY_MAX_SID_SIZE];
	DWORD size = sizeof(sid);
	BOOL member;

	(void)state;
	assert_true(CreateWellKnownSid(WinBuiltinAdministratorsSid, NULL, sid, &size));
	assert_true(CheckTokenMembership(NULL, sid, &member));
	assert_int_equal(host_is_admin(), member);
}

static void clock_now__two_readings__go_forward(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		int64_t before = clock_now();

		clock_sleep(3 * NS_PER_MS);
		assert_true(clock_now() - before >= 3 * NS_PER_MS);
	}
	clock_sleep(0);
	clock_sleep(-5);
	assert_true(clock_wall() > INT64_C(1700000000) * NS_PER_S);
	assert_true(clock_wall() < INT64_C(4000000000) * NS_PER_S);
	assert_string_equal(clock_name, "QPC");
}

static void clock_now__performance_counter__is_what_it_counts(void **state)
{
	LARGE_INTEGER frequency, before, after;
	double seconds;

	(void)state;
	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&before);
	seconds = (double)clock_now() / 1e9;
	QueryPerformanceCounter(&after);
	assert_true(seconds > (double)before.QuadPart / (double)frequency.QuadPart - 1e-6);
	assert_true(seconds < (double)after.QuadPart / (double)frequency.QuadPart + 1e-6);
}

static void terminal__what_is_none__is_none(void **state)
{
	FILE *file = tmpfile(), *null = fopen("NUL", "w");

	(void)state;
	assert_false(terminal_is_tty(file));
	assert_int_equal(terminal_width(file), 0);
	assert_false(terminal_is_tty(null));
	assert_int_equal(terminal_width(null), 0);
	fclose(file);
	fclose(null);
}

/* Text is passed on as it is, both ways. */
static int write_lines(int argc, char **argv)
{
	(void)argc;
	printf("a\nb\r\n\x1a%s\n", argv[0]);
	fflush(stdout);
	fprintf(stderr, "c\n");
	return 0;
}

static void program_start__streams__pass_bytes_on(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	again_push(&argv, "lines");
	strvec_push(&argv, "\xc3\xa4 *");
	assert_int_equal(child_capture(&argv, NULL, 30 * NS_PER_S, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 0);
	assert_string_equal(output.buf, "a\nb\r\n\x1a\xc3\xa4 *\nc\n");
	strbuf_release(&output);
	strvec_release(&argv);
}

struct turns {
	struct monitor *monitor;
	int next, sum;
};

/* Odd and even numbers are added by two threads, by turns. */
static void add_odd(void *data)
{
	struct turns *turns = data;

	monitor_enter(turns->monitor);
	while (turns->next < 2000) {
		if (turns->next % 2) {
			turns->sum += turns->next++;
			monitor_wake(turns->monitor);
		} else {
			monitor_wait(turns->monitor);
		}
	}
	monitor_leave(turns->monitor);
}

static void monitor__two_threads__take_turns(void **state)
{
	struct turns turns = { .monitor = monitor_new() };
	struct thread *thread;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(thread_start(add_odd, &turns, &thread, &err), 0);
	monitor_enter(turns.monitor);
	while (turns.next < 2000) {
		if (turns.next % 2 == 0) {
			turns.sum += turns.next++;
			monitor_wake(turns.monitor);
		} else {
			monitor_wait(turns.monitor);
		}
	}
	monitor_leave(turns.monitor);
	thread_join(thread);
	thread_join(NULL);
	assert_int_equal(turns.sum, 1999 * 2000 / 2);
	monitor_free(turns.monitor);
	monitor_free(NULL);
}

/*
 * Only with a console: the events are made for all that are on it, so the others are the test's own group. Skipped
 * without one, as in a pipeline.
 */
static void interrupt_count__console_events__are_counted(void **state)
{
	(void)state;
	interrupt_catch();
	interrupt_catch();
	assert_int_equal(interrupt_count(), 0);
	if (!GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0)) {
		print_message("no console\n");
		skip();
	}
	for (int i = 0; i < 500 && !interrupt_count(); i++)
		clock_sleep(10 * NS_PER_MS);
	assert_int_equal(interrupt_count(), 1);
}

static void vdso_image__windows__has_none(void **state)
{
	size_t size = 1;

	(void)state;
	assert_null(vdso_image(&size));
}

static const struct again children[] = { { "lines", write_lines } };

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_read__this_machine__has_the_facts_that_all_have),
		cmocka_unit_test(host_is_admin__membership_in_effect__is_the_same),
		cmocka_unit_test(clock_now__two_readings__go_forward),
		cmocka_unit_test(clock_now__performance_counter__is_what_it_counts),
		cmocka_unit_test(terminal__what_is_none__is_none),
		cmocka_unit_test(program_start__streams__pass_bytes_on),
		cmocka_unit_test(monitor__two_threads__take_turns),
		cmocka_unit_test(interrupt_count__console_events__are_counted),
		cmocka_unit_test(vdso_image__windows__has_none),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
