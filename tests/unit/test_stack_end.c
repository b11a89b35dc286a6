#include "analysis/stack_end.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "machine_fixture.h"
#include "util/array.h"

#define KERNEL_TEXT UINT64_C(0xffffffff81000000)
#define NOWHERE     UINT64_C(0x9000)
#define DEPTH       12
#define SAMPLES     20000
#define THREADS     3
#define MAX_STACK   11

static struct machine_fixture *make_machine(void)
{
	struct machine_fixture *f = machine_fixture_new();

	map_kernel(f, KERNEL_TEXT, 0x10000, KERNEL_TEXT, "[kernel.kallsyms]_text");
	fork_process(f, 1, 1, 10);
	map_file(f, 1, 10, 0x1000, 0x1000, "/bin/rustc");
	map_file(f, 1, 10, 0x2000, 0x1000, "/lib/a.so");
	f->machine.max_stack = MAX_STACK;
	return f;
}

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16;
}

/* Change the leaf of a chain and some of its callers, and sometimes its length. */
static void change_chain(uint64_t *chain, uint32_t *nr, unsigned *random)
{
	static const uint64_t places[] = { 0x1010, 0x2010, NOWHERE, NOWHERE, KERNEL_TEXT + 0x10 };
	uint32_t changed = next_random(random) % (DEPTH + 1);

	if (next_random(random) % 4 == 0)
		*nr = next_random(random) % (DEPTH + 1);
	for (uint32_t i = 0; i < *nr && i <= changed; i++)
		chain[i] = places[next_random(random) % ARRAY_SIZE(places)] + changed;
}

static void stack_end__found_in_any_way__is_the_same(void **state)
{
	static const uint64_t kernel[] = { KERNEL_TEXT + 0x300, KERNEL_TEXT + 0x200 };
	struct machine_fixture *added = make_machine(), *seen = make_machine();
	struct stack_end_finder *finder = stack_end_finder_new();
	uint64_t chains[THREADS][DEPTH] = { { 0 } };
	uint32_t lengths[THREADS] = { 0 };
	unsigned random = 1;
	size_t ends[2] = { 0 };

	(void)state;
	for (int i = 0; i < SAMPLES; i++) {
		unsigned thread = next_random(&random) % THREADS;
		struct trace_stack stack = { .kernel = kernel, .user = chains[thread] };
		struct stack_end expected, end, *all;
		uint32_t id;
		size_t at = 0;

		change_chain(chains[thread], &lengths[thread], &random);
		stack.user_nr = lengths[thread];
		stack.kernel_nr = next_random(&random) % 3;
		stack.kernel_from = next_random(&random) % 2 ? KERNEL_TEXT : 0;
		added->machine.max_stack = seen->machine.max_stack = MAX_STACK;
		id = machine_stack(&added->machine, process_at(added, 2, 10), thread + 10, &stack);
		expected = stack_end_of(&added->machine, id);
		assert_false(machine_see_stack(&seen->machine, process_at(seen, 2, 10), thread + 10,
					       &stack, &id));
		end = stack_end_finder_next(finder, &seen->machine, &seen->machine.steps, &at);
		assert_int_equal(at, seen->machine.steps.nr);
		assert_int_equal(end.frame, expected.frame);
		assert_int_equal(end.module, expected.module);
		ends[0] += end.module == MODULE_ID_UNKNOWN;
		ends[1] += end.frame == FRAME_TRUNCATED;
		if (i + 1 < SAMPLES)
			continue;
		all = stack_ends_of_all(&added->machine);
		for (id = 0; id < added->machine.stacks.nodes_nr; id++) {
			expected = stack_end_of(&added->machine, id);
			assert_int_equal(all[id].frame, expected.frame);
			assert_int_equal(all[id].module, expected.module);
		}
		free(all);
	}
	/* The samples had ends of all kinds. */
	assert_in_range(ends[0], SAMPLES / 100, SAMPLES / 2);
	assert_in_range(ends[1], SAMPLES / 100, SAMPLES / 2);
	stack_end_finder_free(finder);
	machine_fixture_free(added);
	machine_fixture_free(seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stack_end__found_in_any_way__is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
