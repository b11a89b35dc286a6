/*
 * Exit codes of wpr and xperf: each documented one has advice. Their status output: with the
 * documented words, and in other languages.
 */
#include "profiler/etw/etw_output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

/* The documented ones, as shells print them: signed. */
static const struct {
	int64_t exit_code;
	const char *tool;
	const char *meaning, *advice; /* parts of it */
	enum err_code kind;
} documented[] = {
	{ -984076288, "wpr", "no recording runs", "ended unexpectedly", ERR_FAILED },
	{ -984076287, "wpr", "runs already", "does not end", ERR_FAILED },
	{ -984076268, "wpr", "in use", "logman query -ets", ERR_FAILED },
	{ -984076276, "wpr", "state provider", "Windows ADK", ERR_FAILED },
	{ -984087022, "wpr", "without any providers", "comes with stagetrace", ERR_FAILED },
	{ -984086783, "wpr", "violates the schema", "wpr-profile", ERR_FAILED },
	{ -984068079, "wpr", "policy to profile", "elevated prompt", ERR_UNSUPPORTED },
	{ -983562750, "wpr", "does not know an option", "older", ERR_FAILED },
	{ -2147024891, "wpr", "denied", "elevated prompt", ERR_UNSUPPORTED },
	{ -2147024891, "xperf", "denied", "elevated prompt", ERR_UNSUPPORTED },
	{ -2147417850, "wpr", ".NET", "-skipPdbGen", ERR_FAILED },
	{ -2147023446, "wpr", "too many tracing sessions", "logman query -ets", ERR_FAILED },
	{ -2147024888, "wpr", "not enough memory", "lower [record] buffers", ERR_FAILED },
	{ -2147024713, "wpr", "given twice", "bug", ERR_FAILED },
	{ -2147024713, "xperf", "NT Kernel Logger", "does not end", ERR_FAILED },
	{ -2147020695, "wpr", "ended unexpectedly", "disk", ERR_FAILED },
	{ -2147024846, "wpr", "not supported", "virtual machine", ERR_FAILED },
	{ -2147023436, "wpr", "time limit", "try again", ERR_FAILED },
	{ -2147024784, "wpr", "disk is full", "free space", ERR_NO_SPACE },
	{ -2147023892, "xperf", "kernel flag", "ADK", ERR_FAILED },
	{ -2147418113, "xperf", "stacks are requested", "ADK", ERR_FAILED },
};

static void etw_code_explain__documented_codes__have_meaning_and_advice(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(documented); i++) {
		uint32_t code = etw_code_read(documented[i].exit_code, "");
		struct err err = ERR_INIT;

		assert_int_equal(code, (uint32_t)documented[i].exit_code);
		assert_int_equal(etw_code_explain(documented[i].tool, "tool -call", code, "", &err),
				 -1);
		assert_int_equal(err.code, documented[i].kind);
		assert_non_null(strstr(err.msg, "tool -call failed: "));
		assert_non_null(strstr(err.msg, documented[i].meaning));
		assert_non_null(strstr(err.msg, documented[i].advice));
		err_clear(&err);
	}
}

static void etw_code_table__each_row__is_documented_and_found(void **state)
{
	size_t count;
	const struct etw_code *table = etw_code_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++) {
		bool known = false;

		for (size_t k = 0; k < ARRAY_SIZE(documented); k++)
			known |= (uint32_t)documented[k].exit_code == table[i].code;
		assert_true(known);
		assert_ptr_equal(
			etw_code_find(table[i].tool ? table[i].tool : "wpr", table[i].code),
			&table[i]);
	}
	assert_null(etw_code_find("wpr", 0));
	assert_null(etw_code_find("xperf", ETW_ALREADY_RUNNING));
}

static void etw_code_read__exit_codes__are_unsigned_or_found_in_the_output(void **state)
{
	static const struct {
		int64_t exit_code;
		const char *output;
		uint32_t code;
	} cases[] = {
		{ 0, "Error code: 0xc5583001", 0 },
		{ 0xc5583001, "", 0xc5583001u },
		{ -984076287, "Error code: 0x80070005", 0xc5583001u },
		/* cut to a byte */
		{ 1, "...\n\tError code: 0xc5583001\n", 0xc5583001u },
		{ 0x11, "\tProfile Id: CPU\n\tError code: 0xC5585011\n", 0xc5585011u },
		{ 1, "at 0x80070005\nError code: 0x800705aa\n", 0x800705aau },
		{ 1, "0x8007000 0x00000001 0x800700055 0x", 1 },
		{ 0xb7, "xperf: error: NT Kernel Logger: It exists. (0xb7).\n", 0x800700b7u },
		{ 0x69, "xperf: error: NT Kernel Logger: Unknown. (0x1069).", 0x80071069u },
		{ 1, "(0x) (0xg) (0x12345) (0x5", 1 },
		{ 0x1069, "", 0x1069 },
		{ 139, "", 139 },
		{ 2, "no such file", 2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(etw_code_read(cases[i].exit_code, cases[i].output), cases[i].code);
}

static void etw_code_explain__unknown_code__gives_the_tools_last_words(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	etw_code_explain("wpr", "wpr -stop", 0xdeadbeef,
			 "Banner\r\n\r\n\tSomething odd.\r\n\tError code: 0xdeadbeef\r\n", &err);
	assert_string_equal(err.msg, "wpr -stop failed with 0xdeadbeef: Something odd.");
	err_clear(&err);
	etw_code_explain("wpr", "wpr -stop", 139,
			 "\r\nMicrosoft Windows Performance Recorder Version 10.0.19041\r\n"
			 "Copyright (c) 2019 Microsoft Corporation.\r\n",
			 &err);
	assert_string_equal(err.msg, "wpr -stop failed with 0x0000008b");
	err_clear(&err);
}

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
		cmocka_unit_test(etw_code_explain__documented_codes__have_meaning_and_advice),
		cmocka_unit_test(etw_code_table__each_row__is_documented_and_found),
		cmocka_unit_test(etw_code_read__exit_codes__are_unsigned_or_found_in_the_output),
		cmocka_unit_test(etw_code_explain__unknown_code__gives_the_tools_last_words),
		cmocka_unit_test(etw_status_state__outputs__distinguish_idle_from_recording),
		cmocka_unit_test(etw_status_lost__outputs__are_summed_over_collectors),
		cmocka_unit_test(etw_status_interval__outputs__give_the_interval),
		cmocka_unit_test(etw_version__banners__are_read_and_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
