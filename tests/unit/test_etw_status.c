/*
 * The status output of wpr and xperf: with the documented words, and in other languages.
 */
#include "profiler/etw/etw_output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"

#define BANNER \
	"\r\nMicrosoft Windows Performance Recorder Version 10.0.26100 (CoreSystem)\r\n" \
	"Copyright (c) 2024 Microsoft Corporation. All rights reserved.\r\n\r\n"

static const char running[] = BANNER "WPR recording is in progress...\r\n\r\n"
				     "Time since start        : 00:00:13\r\n"
				     "Dropped event           : 0\r\n"
				     "Logging mode            : File\r\n\r\n";

static const char collectors[] = BANNER "WPR recording is in progress...\r\n\r\n"
					"Time since start        : 00:00:13\r\n"
					"Dropped event           : 7\r\n"
					"Logging mode            : File\r\n\r\n"
					"Collector Name          : WPR System Collector\r\n"
					"Buffer Size (KB)        : 1024\r\n"
					"Events Lost             : 1,203\r\n"
					"System Keywords\r\n\tLoader\r\n"
					"Collector Name          : WPR Event Collector\r\n"
					"Events Lost             : 4\r\n";

static const char loggers[] = "Logger Name           : Circular Kernel Context Logger\n"
			      "Events Lost           : 900\n"
			      "Log Filename          :\n"
			      "Logger Name           : NT Kernel Logger\n"
			      "Buffer Size           : 1024\n"
			      "Events Lost           : 3\n"
			      "Log Buffers Lost      : 2\n"
			      "Real Time Buffers Lost: 0\n"
			      "Log Filename          : D:\\kernel.etl\n"
			      "Logger Name           : HeapSession\n"
			      "Events Lost           : 50\n";

static void etw_status_state__outputs__distinguish_idle_from_recording(void **state)
{
	static const struct {
		uint32_t code;
		const char *output;
		enum etw_state state;
	} cases[] = {
		{ 0, BANNER "WPR is not recording\r\n", ETW_IDLE },
		{ ETW_NOT_RUNNING, BANNER "There are no trace profiles running.\r\n", ETW_IDLE },
		{ 0, running, ETW_RECORDING },
		{ 0, BANNER "WPR recording is in progress...\r\n", ETW_RECORDING },
		/* of another language */
		{ 0, BANNER "WPR zeichnet nicht auf\r\n", ETW_IDLE },
		{ 0, BANNER "Aufzeichnung\r\n\r\nZeit seit Beginn        : 00:00:13\r\n",
		  ETW_RECORDING },
		{ ETW_ACCESS_DENIED, BANNER, ETW_UNKNOWN },
		{ 139, "", ETW_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(etw_status_state(cases[i].code, cases[i].output), cases[i].state);
}

static void etw_status_lost__outputs__are_summed_over_collectors(void **state)
{
	(void)state;
	assert_int_equal(etw_status_lost(collectors), 1207);
	assert_int_equal(etw_status_lost(running), 0);
	assert_int_equal(etw_status_lost("Dropped event : 12\nEvents Lost : 0\n"), 12);
	assert_int_equal(etw_status_lost("EventsLost: 5"), 5);
	assert_int_equal(etw_status_lost("Verlorene Ereignisse : 5\n"), -1);
	assert_int_equal(etw_status_lost("Events Lost : many\n"), -1);
	assert_int_equal(etw_status_lost("Events Lost\n"), -1);
	assert_int_equal(etw_status_lost(""), -1);
	assert_int_equal(etw_status_lost("Events Lost : 99999999999999999999999999\n"), -1);
	assert_int_equal(etw_status_lost_of(loggers, "NT Kernel Logger"), 5);
	assert_int_equal(etw_status_lost_of(loggers, "HeapSession"), 50);
	assert_int_equal(etw_status_lost_of(loggers, "Other"), -1);
}

static void etw_status_interval__outputs__give_the_interval(void **state)
{
	static const struct {
		const char *output;
		int64_t interval;
	} cases[] = {
		{ BANNER "Current Profile Interval = 10000 [1.0000ms]\r\n", 10000 },
		{ "Current Profile Interval =1221 [0.1221ms]", 1221 },
		{ "x = 10000000", 10000000 },
		{ "x = 1220", 0 },
		{ "x = 10000001", 0 },
		{ BANNER, 0 },
		{ "= = 5000", 5000 },
		{ "x = 99999999999999999999", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(etw_status_interval(cases[i].output), cases[i].interval);
}

static void etw_version__banners__are_read_and_compared(void **state)
{
	struct etw_version a = etw_version_read(BANNER),
			   b = etw_version_read("Performance Analyzer Version 10.0.19041.685 (x)"),
			   c = etw_version_read("Version 6.2.9200"),
			   none = etw_version_read("1.2 x");

	(void)state;
	assert_int_equal(a.v[0], 10);
	assert_int_equal(a.v[2], 26100);
	assert_int_equal(a.v[3], 0);
	assert_int_equal(b.v[3], 685);
	assert_true(etw_version_compare(a, b) > 0);
	assert_true(etw_version_compare(c, b) < 0);
	assert_true(etw_version_compare(none, c) < 0);
	assert_true(etw_version_compare(a, a) == 0);
	assert_int_equal(none.v[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etw_status_state__outputs__distinguish_idle_from_recording),
		cmocka_unit_test(etw_status_lost__outputs__are_summed_over_collectors),
		cmocka_unit_test(etw_status_interval__outputs__give_the_interval),
		cmocka_unit_test(etw_version__banners__are_read_and_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
