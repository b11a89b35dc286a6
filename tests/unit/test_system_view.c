#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/system_view.h"

#include "capture.h"

static void fill(struct system_rows *rows)
{
	system_rows_add(rows, "host", "name", "build1");
	system_rows_add(rows, "host", "cpu model", NULL);
	system_rows_add_number(rows, "host", "cpus", COLUMN_INT, 2);
	system_rows_add_number(rows, "host", "memory", COLUMN_BYTES, 1610612736);
	system_rows_add_number(rows, "trace", "end", COLUMN_TIME, 200000000000);
	system_rows_add_number(rows, "trace", "start", COLUMN_TIME, -1);
}

static void expect(const struct table_options *options, const char *expected)
{
	struct system_rows rows = { NULL, 0, 0 };
	FILE *file = capture_start();
	struct err err = ERR_INIT;
	char *text;

	fill(&rows);
	assert_int_equal(table_print(&system_table, options, rows.v, rows.nr, file, &err), 0);
	text = capture_end(file);
	assert_string_equal(text, expected);
	free(text);
	system_rows_release(&rows);
}

static void system_table__text__human_units(void **state)
{
	const struct table_options options = { .format = TABLE_TEXT };

	(void)state;
	expect(&options, "SECTION  KEY     VALUE\n"
			 "host     name    build1\n"
			 "host     cpus    2\n"
			 "host     memory  1.50 GB\n"
			 "trace    end     3m 20s\n");
}

static void system_table__json__numbers_are_plain(void **state)
{
	const struct table_options options = { .format = TABLE_JSON };

	(void)state;
	expect(&options, "[\n"
			 "{\"section\":\"host\",\"key\":\"name\",\"value\":\"build1\"},\n"
			 "{\"section\":\"host\",\"key\":\"cpus\",\"value\":2},\n"
			 "{\"section\":\"host\",\"key\":\"memory\",\"value\":1610612736},\n"
			 "{\"section\":\"trace\",\"key\":\"end\",\"value\":200000000000}\n"
			 "]\n");
}

static void system_table__csv__numbers_are_plain(void **state)
{
	const struct table_options options = { .format = TABLE_CSV, .columns = "key,value" };

	(void)state;
	expect(&options, "key,value\r\nname,build1\r\ncpus,2\r\nmemory,1610612736\r\n"
			 "end,200000000000\r\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_table__text__human_units),
		cmocka_unit_test(system_table__json__numbers_are_plain),
		cmocka_unit_test(system_table__csv__numbers_are_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
