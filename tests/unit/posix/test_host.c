/*
 * The host, the clock and the terminal: what can be said of them on any machine.
 */
#include "platform/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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

static void host_is_admin__effective_user__tells(void **state)
{
	(void)state;
	assert_int_equal(host_is_admin(), geteuid() == 0);
	assert_false(host_has_capability(63));
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
		cmocka_unit_test(host_is_admin__effective_user__tells),
		cmocka_unit_test(clock_now__two_readings__go_forward),
		cmocka_unit_test(terminal__a_file__is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
