/*
 * The host, the clock and the terminal: facts that hold on any machine.
 */
#include "platform/host.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "platform/terminal.h"
#include "util/text.h"

static void host_read__this_machine__has_the_facts_that_all_have(void **state)
{
	struct host host;

	(void)state;
	host_read(&host);
	assert_non_null(host.hostname);
	assert_non_null(host.arch);
	assert_int_equal(strncmp(host.kernel, "Linux ", 6), 0);
	assert_true(host.cpus >= 1);
	assert_true(host.memory_bytes > 16 << 20);
	if (host.os)
		assert_null(strpbrk(host.os, "\"\n="));
	if (host.cpu_model)
		assert_true(*host.cpu_model && !strpbrk(host.cpu_model, "\n:\t"));
	host_release(&host);
	assert_null(host.hostname);
	host_release(&host);
}

/* What this process does between two looks is in the second one; ticks are of up to 10 ms. */
static void host_load_read__busy__is_counted(void **state)
{
	const int64_t busy_ns = 200 * NS_PER_MS, end = clock_now() + 20 * NS_PER_S;
	struct host_load before, after;

	(void)state;
	host_load_read(&before);
	do
		host_load_read(&after);
	while (after.own_ns - before.own_ns < busy_ns && clock_now() < end);
	assert_true(after.own_ns - before.own_ns >= busy_ns);
	assert_true(after.busy_ns - before.busy_ns >= busy_ns / 2);
	assert_true(after.stolen_ns >= before.stolen_ns);
	assert_true(after.memory_bytes > 0);
}

static void host_is_admin__effective_user__decides(void **state)
{
	(void)state;
	assert_int_equal(host_is_admin(), geteuid() == 0);
	assert_false(host_has_capability(63));
}

static void host_allows_realtime__asked__changes_nothing(void **state)
{
	int policy = sched_getscheduler(0);
	bool allowed = host_allows_realtime();

	(void)state;
	assert_int_equal(sched_getscheduler(0), policy);
	assert_int_equal(host_allows_realtime(), allowed);
}

/* Children inherit the priority, so a better one is no worse for perf than the lowest, which it would ask for. */
static void host_allows_realtime__has_a_priority__keeps_it(void **state)
{
	struct sched_param param = { .sched_priority = 5 };
	int policy = sched_getscheduler(0);

	(void)state;
	if (sched_setscheduler(0, SCHED_RR, &param))
		skip();
	param.sched_priority = 0;
	assert_false(host_allows_realtime());
	assert_int_equal(sched_getscheduler(0), SCHED_RR);
	assert_int_equal(sched_getparam(0, &param), 0);
	assert_int_equal(param.sched_priority, 5);
	param.sched_priority = 0;
	assert_int_equal(sched_setscheduler(0, policy, &param), 0);
}

static void host_allows_realtime__limited_time__does_not(void **state)
{
	struct rlimit before, limited;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_RTTIME, &before), 0);
	limited = (struct rlimit){ 200000, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_RTTIME, &limited), 0);
	assert_false(host_allows_realtime());
	assert_int_equal(setrlimit(RLIMIT_RTTIME, &before), 0);
}

static void clock_now__two_readings__go_forward(void **state)
{
	int64_t start = clock_now();

	(void)state;
	clock_sleep(20 * NS_PER_MS);
	assert_true(clock_now() - start >= 20 * NS_PER_MS);
	clock_sleep(0);
	clock_sleep(-5);
	assert_true(clock_wall() > INT64_C(1700000000) * NS_PER_S);
	assert_string_equal(clock_name, "CLOCK_MONOTONIC");
}

static void terminal__a_file__is_none(void **state)
{
	FILE *file = tmpfile();

	(void)state;
	assert_non_null(file);
	assert_false(terminal_is_tty(file));
	assert_int_equal(terminal_width(file), 0);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_read__this_machine__has_the_facts_that_all_have),
		cmocka_unit_test(host_load_read__busy__is_counted),
		cmocka_unit_test(host_is_admin__effective_user__decides),
		cmocka_unit_test(host_allows_realtime__asked__changes_nothing),
		cmocka_unit_test(host_allows_realtime__has_a_priority__keeps_it),
		cmocka_unit_test(host_allows_realtime__limited_time__does_not),
		cmocka_unit_test(clock_now__two_readings__go_forward),
		cmocka_unit_test(terminal__a_file__is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
