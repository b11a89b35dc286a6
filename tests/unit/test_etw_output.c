/*
 * Exit codes of wpr and xperf: each documented one has advice.
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(etw_code_explain__documented_codes__have_meaning_and_advice),
		cmocka_unit_test(etw_code_table__each_row__is_documented_and_found),
		cmocka_unit_test(etw_code_read__exit_codes__are_unsigned_or_found_in_the_output),
		cmocka_unit_test(etw_code_explain__unknown_code__gives_the_tools_last_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
