#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "page_model.h"
#include "report/bar_rows.h"
#include "util/alloc.h"

static void bar_rows_place__side_by_side__own_rows(void **state)
{
	struct bar_place bars[] = { { .from = 0, .to = 100, .label = 300 },
				    { .from = 10, .to = 20, .label = 300 },
				    { .from = 20, .to = 30, .label = 300 },
				    { .from = 25, .to = 28, .label = 300 } };

	(void)state;
	assert_int_equal(bar_rows_place(bars, 4, 100), 3);
	assert_int_equal(bars[0].row, 0);
	assert_int_equal(bars[1].row, 1);
	assert_int_equal(bars[2].row, 1);
	assert_int_equal(bars[3].row, 2);
	for (size_t i = 0; i < 4; i++)
		assert_false(bars[i].inside || bars[i].beside);
	assert_int_equal(bar_rows_place(NULL, 0, 100), 0);
}

static void bar_rows_place__labels__in_the_bar_or_beside_it(void **state)
{
	struct bar_place bars[] = { { .from = 0, .to = 100, .label = 90 },
				    { .from = 100, .to = 110, .label = 40 },
				    { .from = 150, .to = 160, .label = 40 },
				    { .from = 170, .to = 195, .label = 30 } };

	(void)state;
	assert_int_equal(bar_rows_place(bars, 4, 200), 2);
	assert_true(bars[0].inside);
	assert_true(bars[1].beside);
	assert_int_equal(bars[2].row, 1); /* the label of the one before reaches into it */
	assert_false(bars[3].inside || bars[3].beside); /* beyond the right end */
}

static size_t place_random(struct bar_place *bars, size_t nr, double longest, uint64_t *seed)
{
	double at = 0;

	for (size_t i = 0; i < nr; i++) {
		at += (double)(model_random(seed) % 100) / 100 * 1000 / (double)nr;
		bars[i] = (struct bar_place){
			.from = at,
			.to = at + 1 + (double)(model_random(seed) % 1000) / 1000 * longest,
			.label = 20 + (double)(model_random(seed) % 100),
		};
	}
	return bar_rows_place(bars, nr, 1200);
}

/* Neither bars nor labels overlap, and many bars do not take far more rows than they need. */
static void bar_rows_place__random_bars__none_overlaps(void **state)
{
	static const size_t numbers[] = { 10, 150, 3000 };
	uint64_t seed = 5;

	(void)state;
	for (size_t k = 0; k < 3; k++) {
		size_t nr = numbers[k], most = 0;
		struct bar_place *bars = xcalloc(nr, sizeof(*bars));
		size_t rows = place_random(bars, nr, 60, &seed);

		for (size_t i = 0; i < nr; i++) {
			size_t same = 0;

			assert_true(bars[i].row < rows);
			for (size_t j = 0; j < i; j++) {
				double end =
					bars[j].beside ? bars[j].to + bars[j].label : bars[j].to;

				same += bars[j].to > bars[i].from;
				if (bars[j].row == bars[i].row)
					assert_true(end <= bars[i].from);
			}
			most = same + 1 > most ? same + 1 : most;
		}
		assert_true(rows >= most && rows <= most + 24);
		free(bars);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bar_rows_place__side_by_side__own_rows),
		cmocka_unit_test(bar_rows_place__labels__in_the_bar_or_beside_it),
		cmocka_unit_test(bar_rows_place__random_bars__none_overlaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
