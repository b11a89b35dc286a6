#include "analysis/machine_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/array.h"

static struct trace_machine_memory measured[] = {
	{ 100, 50, 900 }, { 150, 80, 700 }, { 199, 80, 600 }, { 300, -1, 650 }, { INT64_MAX, 1, 1 },
};

static const struct trace_facts facts = { .machine_memory = measured,
					  .machine_memory_nr = ARRAY_SIZE(measured) };

static void expect(const struct machine_memory *memory, int64_t commit, int64_t commit_ns,
		   int64_t available, int64_t available_ns)
{
	assert_int_equal(memory->commit_bytes, commit);
	assert_int_equal(memory->commit_ns, commit_ns);
	assert_int_equal(memory->available_bytes, available);
	assert_int_equal(memory->available_ns, available_ns);
}

static void machine_memory_of__a_range__has_its_extremes(void **state)
{
	struct machine_memory memory;

	(void)state;
	memory = machine_memory_of(&facts, 0, INT64_MAX);
	expect(&memory, 80, 150, 600, 199);
	memory = machine_memory_of(&facts, 100, 150);
	expect(&memory, 50, 100, 900, 100);
	memory = machine_memory_of(&facts, 250, 400);
	expect(&memory, -1, -1, 650, 300);
	memory = machine_memory_of(&facts, 0, 100);
	expect(&memory, -1, -1, -1, -1);
}

static void machine_memory_steps__measurements__count_in_their_step(void **state)
{
	struct machine_memory steps[4];

	(void)state;
	machine_memory_steps(&facts, 50, 100, steps, ARRAY_SIZE(steps));
	expect(&steps[0], 50, 100, 900, 100);
	expect(&steps[1], 80, 150, 600, 199);
	expect(&steps[2], -1, -1, 650, 300);
	expect(&steps[3], -1, -1, -1, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machine_memory_of__a_range__has_its_extremes),
		cmocka_unit_test(machine_memory_steps__measurements__count_in_their_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
