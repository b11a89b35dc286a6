#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "compare/curves.h"

/* A build of processes that hold one block each, all the time. */
struct block {
	uint32_t key;
	int64_t start_ns, end_ns, bytes;
};

struct build {
	struct curves curves;
	struct curve_span spans[8];
	struct curve_build build;
};

static void make(struct build *build, const struct block *blocks, size_t nr, int64_t end_ns)
{
	build->curves = (struct curves){ 0 };
	for (size_t i = 0; i < nr; i++) {
		build->spans[i] =
			(struct curve_span){ blocks[i].start_ns, blocks[i].end_ns, blocks[i].key };
		curves_add(&build->curves, (uint32_t)i, blocks[i].start_ns, blocks[i].end_ns,
			   blocks[i].bytes);
	}
	build->build = (struct curve_build){ &build->curves, build->spans, nr, end_ns };
}

static struct peak_split split_of(const struct block *base, size_t base_nr, int64_t base_end,
				  const struct block *new, size_t new_nr, int64_t new_end)
{
	struct build a, b;
	struct peak_split split;

	make(&a, base, base_nr, base_end);
	make(&b, new, new_nr, new_end);
	assert_true(curves_split(&a.build, &b.build, &split));
	curves_release(&a.curves);
	curves_release(&b.curves);
	return split;
}

static void expect(struct peak_split split, int64_t base, int64_t new, int64_t growth,
		   int64_t overlap, int64_t rest)
{
	assert_int_equal(split.base, base);
	assert_int_equal(split.new, new);
	assert_int_equal(split.growth, growth);
	assert_int_equal(split.overlap, overlap);
	assert_int_equal(split.rest, rest);
}

static void curves_split__same_build__has_no_change(void **state)
{
	const struct block build[] = { { 0, 0, 10, 100 }, { 1, 5, 20, 50 } };

	(void)state;
	expect(split_of(build, 2, 20, build, 2, 20), 150, 150, 0, 0, 0);
}

static void curves_split__process_holds_more__is_growth(void **state)
{
	const struct block base[] = { { 0, 0, 10, 100 }, { 1, 5, 20, 50 } };
	const struct block new[] = { { 1, 5, 20, 80 }, { 0, 0, 10, 100 } };

	(void)state;
	expect(split_of(base, 2, 20, new, 2, 20), 150, 180, 30, 0, 0);
}

static void curves_split__processes_meet__is_overlap(void **state)
{
	const struct block base[] = { { 0, 0, 10, 100 }, { 1, 10, 20, 50 } };
	const struct block new[] = { { 0, 0, 10, 100 }, { 1, 9, 19, 50 } };

	(void)state;
	expect(split_of(base, 2, 20, new, 2, 19), 100, 150, 0, 50, 0);
}

/* Both: the larger process did not matter for the base's peak, and does where it meets the other one. */
static void curves_split__both__leaves_a_rest(void **state)
{
	const struct block base[] = { { 0, 0, 10, 100 }, { 1, 10, 20, 50 } };
	const struct block new[] = { { 0, 0, 10, 100 }, { 1, 9, 19, 70 } };

	(void)state;
	expect(split_of(base, 2, 20, new, 2, 19), 100, 170, 0, 50, 20);
}

/* A slower compile holds its memory later: on the base's schedule its curve has the base's length. */
static void curves_split__longer_process__is_stretched(void **state)
{
	const struct block base[] = { { 0, 0, 10, 100 }, { 1, 12, 20, 50 } };
	const struct block new[] = { { 0, 0, 15, 100 }, { 1, 12, 20, 50 } };

	(void)state;
	expect(split_of(base, 2, 20, new, 2, 20), 100, 150, 0, 50, 0);
}

/* A new process begins in the base at the same share of the time; a vanished one in the new build too. */
static void curves_split__new_and_vanished_processes__are_placed_by_share(void **state)
{
	const struct block base[] = { { 0, 0, 10, 100 }, { 1, 0, 2, 5 } };
	const struct block new[] = { { 0, 0, 20, 100 }, { 2, 10, 14, 40 } };

	(void)state;
	/* At 5 of 10 the base's process 0 is there. The vanished one begins at 0, as the other does. */
	expect(split_of(base, 2, 10, new, 2, 20), 105, 140, 35, 0, 0);
}

static void curves_split__nothing__is_0(void **state)
{
	(void)state;
	expect(split_of(NULL, 0, 0, NULL, 0, 0), 0, 0, 0, 0, 0);
}

static void curves_split__damaged_times__do_not_matter(void **state)
{
	const struct block base[] = { { 0, INT64_MIN, INT64_MAX, INT64_MAX },
				      { 1, 50, 20, INT64_MIN } };
	struct build a;
	struct peak_split split;

	(void)state;
	make(&a, base, 2, INT64_MAX);
	assert_true(curves_split(&a.build, &a.build, &split));
	curves_release(&a.curves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(curves_split__same_build__has_no_change),
		cmocka_unit_test(curves_split__process_holds_more__is_growth),
		cmocka_unit_test(curves_split__processes_meet__is_overlap),
		cmocka_unit_test(curves_split__both__leaves_a_rest),
		cmocka_unit_test(curves_split__longer_process__is_stretched),
		cmocka_unit_test(curves_split__new_and_vanished_processes__are_placed_by_share),
		cmocka_unit_test(curves_split__nothing__is_0),
		cmocka_unit_test(curves_split__damaged_times__do_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
