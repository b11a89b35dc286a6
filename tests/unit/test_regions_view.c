#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "page_model.h"
#include "report/regions_view.h"
#include "util/array.h"

#define REGIONS 200000

static void print(struct regions_view *view, FILE *file)
{
	const void **rows = regions_view_rows(view);
	struct err err = ERR_INIT;

	view->options.left_out = view->left_out;
	assert_int_equal(
		table_print(&regions_table, &view->options, rows, view->rows_nr, file, &err), 0);
	free(rows);
}

/* The table of REGIONS regions of random sizes, of which many are equal; `*kept`: the most that were kept at a time. */
static char *show(enum table_format format, int64_t top, const char *sort, size_t *kept)
{
	const struct results results = { .account = &account_memory };
	struct regions_view view = {
		.results = &results,
		.options = { .format = format,
			     .columns = "size_bytes,commit_time_ns,ended",
			     .top = top,
			     .sort = sort },
	};
	struct region_sink sink = regions_view_sink(&view, false);
	uint64_t seed = 5;
	FILE *file = capture_start();

	*kept = 0;
	for (int64_t i = 0; i < REGIONS; i++) {
		const struct region region = {
			.bytes = (int64_t)(model_random(&seed) % 5000) * 4096,
			.start_ns = i,
			.end = (enum life_end)(model_random(&seed) % 4),
		};

		sink.add(sink.data, &region);
		if (view.rows_nr > *kept)
			*kept = view.rows_nr;
	}
	print(&view, file);
	regions_view_release(&view);
	return capture_end(file);
}

static size_t count_lines(const char *text)
{
	size_t nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void regions_view__top__is_that_of_all(void **state)
{
	static const char *const sorts[] = { NULL, "commit_time_ns:asc", "ended" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++) {
		size_t kept_of_all, kept;
		char *all = show(TABLE_CSV, 0, sorts[i], &kept_of_all);
		char *some = show(TABLE_CSV, 1000, sorts[i], &kept);

		assert_int_equal(kept_of_all, REGIONS);
		assert_in_range(kept, 1000, REGIONS * 2 / 3);
		assert_int_equal(count_lines(some), 1001);
		assert_memory_equal(all, some, strlen(some));
		free(all);
		free(some);
	}
}

static void regions_view__text__says_how_many_are_left_out(void **state)
{
	size_t kept;
	char *text = show(TABLE_TEXT, 10, NULL, &kept);

	(void)state;
	assert_int_equal(count_lines(text), 12);
	assert_non_null(strstr(text, "\nand 199990 more\n"));
	free(text);
}

static void regions_view__clear__forgets_all(void **state)
{
	struct regions_view view = {
		.options = { .columns = "size_bytes", .top = 1, .format = TABLE_CSV },
	};
	struct region_sink sink = regions_view_sink(&view, true);
	const struct region region = { .bytes = 4096 };
	FILE *file = capture_start();
	char *text;

	(void)state;
	assert_true(sink.at_moment);
	for (int i = 0; i < REGIONS; i++)
		sink.add(sink.data, &region);
	assert_true(view.left_out > 0);
	sink.clear(sink.data);
	print(&view, file);
	text = capture_end(file);
	assert_string_equal(text, "size_bytes\r\n");
	assert_int_equal(view.options.left_out, 0);
	free(text);
	regions_view_release(&view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(regions_view__top__is_that_of_all),
		cmocka_unit_test(regions_view__text__says_how_many_are_left_out),
		cmocka_unit_test(regions_view__clear__forgets_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
