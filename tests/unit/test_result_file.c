#include "cli/result_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "util/array.h"

static const char *const names[] = { "text", "json", "svg", NULL };
static const char *const endings[] = { ".txt", ".json", ".svg" };

static const char *ending(size_t i)
{
	return endings[i];
}

static const struct opt_choices formats = { .words = names, .ending = ending };

enum { TEXT, JSON, SVG };

static void result_file_format__name_and_option__agree(void **state)
{
	static const struct {
		const char *path;
		int given, format;
	} cases[] = {
		{ NULL, -1, TEXT },
		{ NULL, JSON, JSON },
		{ "x", -1, TEXT },
		{ "x", SVG, SVG },
		{ "dir.json/x", -1, TEXT },
		{ "x.json", -1, JSON },
		{ "x.JSON", -1, JSON },
		{ "x.json", JSON, JSON },
		{ "a.json.svg", -1, SVG },
		{ ".json", -1, TEXT }, /* a name, no ending */
		{ "json", -1, TEXT },
		{ "x.txt", -1, TEXT },
		{ "x.1", JSON, JSON },
		{ "x.json.bak", SVG, SVG },
		{ "/dev/stdout", JSON, JSON },
		{ "x.json.gz", -1, JSON },
		{ "x.json.GZ", JSON, JSON },
		{ "x.gz", -1, TEXT },
		{ ".json.gz", -1, TEXT },
		{ "-", SVG, SVG },
		{ "-", -1, TEXT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		int format = 99;

		assert_int_equal(
			result_file_format(cases[i].path, &formats, cases[i].given, &format, &err),
			0);
		assert_int_equal(format, cases[i].format);
	}
}

static void result_file_format__name_of_another_format__is_refused(void **state)
{
	static const struct {
		const char *path;
		int given;
		const char *message;
	} cases[] = {
		{ "x.json", TEXT,
		  "--format text and the name 'x.json' do not agree: it is that of json" },
		{ "x.txt", SVG,
		  "--format svg and the name 'x.txt' do not agree: it is that of text" },
		{ "x.csv", -1,
		  "'x.csv' cannot be written: this command writes text, json or svg, not csv" },
		{ "x.json.gz", TEXT,
		  "--format text and the name 'x.json.gz' do not agree: it is that of json" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		int format;

		assert_int_equal(
			result_file_format(cases[i].path, &formats, cases[i].given, &format, &err),
			-1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_string_equal(err.msg, cases[i].message);
		err_clear(&err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(result_file_format__name_and_option__agree),
		cmocka_unit_test(result_file_format__name_of_another_format__is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
