#include "trace/perf/perf_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void perf_queue__any_runs__are_merged_in_order(void **state)
{
	enum { NR = 1000 };
	struct perf_queue queue;
	uint32_t random = 1;
	uint64_t taken = 0;

	(void)state;
	perf_queue_init(&queue);
	for (uint64_t i = 0; i < NR; i++) {
		random = random * 1664525 + 1013904223;
		/* Runs of all lengths with equal times in them; the location is the order. */
		perf_queue_add(&queue, i % 97 / 3 + (random >> 29) * 50, i);
		if (i % 250 != 249)
			continue;
		for (size_t nr = perf_queue_sort(&queue, i / 4); nr; nr--, queue.head++, taken++)
			assert_in_range(queue.v[queue.head].time, 0, i / 4);
		if (queue.head < queue.nr)
			assert_in_range(queue.v[queue.head].time, i / 4 + 1, UINT64_MAX);
	}
	assert_int_equal(perf_queue_sort(&queue, UINT64_MAX), NR - taken);
	for (size_t i = 1; i < queue.nr; i++) {
		assert_in_range(queue.v[i].time, queue.v[i - 1].time, UINT64_MAX);
		if (queue.v[i].time == queue.v[i - 1].time)
			assert_in_range(queue.v[i].location, queue.v[i - 1].location + 1, NR);
	}
	perf_queue_release(&queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_queue__any_runs__are_merged_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
