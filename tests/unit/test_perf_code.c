#include "trace/perf/perf_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void map(struct perf_code *code, uint64_t address, uint64_t length)
{
	const struct trace_event event = {
		.kind = TRACE_MAP, .map = { .address = address, .length = length, .code = true }
	};

	perf_code_see(code, &event);
}

static void perf_code__addresses__are_in_code_of_any_process(void **state)
{
	static const struct {
		uint64_t address;
		bool has;
	} cases[] = {
		{ 0, false },
		{ 0x407ff, false },
		{ 0x40800, true },
		{ 0x4ffff, true },
		{ 0x50000, true }, /* after a call at the end */
		{ 0x50001, false },
		{ UINT64_C(0x7f0000000000), true },
		{ UINT64_C(0x7f0000300000), true },
		{ UINT64_C(0x7f0000300001), false },
		{ UINT64_C(0x7f0000310000), false },
		{ UINT64_C(0x3d48544150424f4a), false },
		{ UINT64_MAX, false },
	};
	struct perf_code *code = perf_code_new();

	(void)state;
	for (int again = 0; again < 2; again++) {
		map(code, 0x40800, 0xf800);
		map(code, UINT64_C(0x7f0000100000), 0x100000);
		map(code, UINT64_C(0x7f0000000000), 0x180000);
		map(code, UINT64_C(0x7f0000180000), 0x180000);
		for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
			assert_int_equal(perf_code_has(code, cases[i].address), cases[i].has);
	}
	assert_false(perf_code_has(code, 0));
	map(code, 0, 1);
	assert_true(perf_code_has(code, 0));
	perf_code_free(code);
}

static void perf_code__data_and_the_kernel__are_no_code(void **state)
{
	struct trace_event event = { .kind = TRACE_MAP,
				     .map = { .address = 0x40000, .length = 1 } };
	struct perf_code *code = perf_code_new();

	(void)state;
	perf_code_see(code, &event);
	event.map.code = event.map.kernel = true;
	perf_code_see(code, &event);
	event.map.kernel = false;
	event.kind = TRACE_UNMAP;
	perf_code_see(code, &event);
	assert_false(perf_code_has(code, 0x40000));
	perf_code_free(code);
}

static void perf_code__no_address__is_where_no_code_is(void **state)
{
	struct perf_code *code = perf_code_new();

	(void)state;
	assert_int_equal(perf_code_free_address(code), 1);
	map(code, 0x10000, 0x1000);
	assert_int_equal(perf_code_free_address(code), 1);
	map(code, 0, 0x1000);
	assert_int_equal(perf_code_free_address(code), 0x1001);
	map(code, 0x1000, 0x10000);
	assert_int_equal(perf_code_free_address(code), 0x11001);
	map(code, UINT64_MAX - 1, UINT64_MAX);
	assert_int_equal(perf_code_free_address(code), 0x11001);
	perf_code_free(code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_code__addresses__are_in_code_of_any_process),
		cmocka_unit_test(perf_code__data_and_the_kernel__are_no_code),
		cmocka_unit_test(perf_code__no_address__is_where_no_code_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
