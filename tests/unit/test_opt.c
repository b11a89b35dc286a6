#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/opt.h"
#include "util/array.h"
#include "util/strvec.h"

struct shared {
	int format, given;
	int64_t top;
};

struct values {
	bool dry_run;
	bool all;
	const char *out, *fetch, *two[2];
	struct strvec set;
	struct shared shared;
	const char *first;
	struct strvec rest;
};

static const char *const formats[] = { "text", "json", "csv", NULL };

static bool is_url(const char *word)
{
	return strstr(word, "://");
}

static const struct opt_choices urls = { .takes = is_url };

static const struct opt own[] = {
	{ 'n', "dry-run", OPT_FLAG, NULL, "", offsetof(struct values, dry_run), NULL },
	{ 'a', "all", OPT_FLAG, NULL, "", offsetof(struct values, all), NULL },
	{ 'o', "out", OPT_STRING, "DIR", "", offsetof(struct values, out), NULL },
	{ 0, "fetch", OPT_OPTIONAL, "[URL]", "", offsetof(struct values, fetch), &urls },
	{ 0, "set", OPT_LIST, "KEY=VALUE", "", offsetof(struct values, set), NULL },
	{ 0, "two", OPT_TWO, "A B", "", offsetof(struct values, two), NULL },
	OPT_END,
};

static const struct opt shared[] = {
	{ 0, "format", OPT_CHOICE, "FORMAT", "", offsetof(struct shared, format),
	  OPT_WORDS(formats) },
	{ 0, "given", OPT_GIVEN, "FORMAT", "", offsetof(struct shared, given), OPT_WORDS(formats) },
	{ 0, "top", OPT_NUMBER, "N", "", offsetof(struct shared, top), NULL },
	OPT_END,
};

static const struct opt_group groups[] = {
	{ "Own", own, 0 },
	{ "Shared", shared, offsetof(struct values, shared) },
	OPT_GROUP_END,
};

static const struct opt_arg args[] = {
	{ "FIRST", "", false, OPT_ONE, offsetof(struct values, first) },
	{ "REST", "", true, OPT_MANY, offsetof(struct values, rest) },
	OPT_ARG_END,
};

static const struct opt_syntax syntax = { groups, args, sizeof(struct values) };

static int parse(const char *const *argv, struct values *values, bool *help, struct err *err)
{
	*help = false;
	memset(values, 0xff, sizeof(*values));
	return opt_parse(&syntax, argv, values, help, err);
}

static void opt_parse__every_type__lands_in_its_member(void **state)
{
	const char *argv[] = { "one",      "-na", "--out=x=y", "--set",        "a=1",
			       "--format", "csv", "--set=b=2", "--given=text", "--top",
			       "12",       "two", "--",        "--all",        NULL };
	struct err err = ERR_INIT;
	struct values values;
	bool help;

	(void)state;
	assert_int_equal(parse(argv, &values, &help, &err), 0);
	assert_false(help);
	assert_true(values.dry_run);
	assert_true(values.all);
	assert_string_equal(values.out, "x=y");
	assert_int_equal(values.set.nr, 2);
	assert_string_equal(values.set.v[1], "b=2");
	assert_int_equal(values.shared.format, 2);
	assert_int_equal(values.shared.given, 0);
	assert_int_equal(values.shared.top, 12);
	assert_string_equal(values.first, "one");
	assert_int_equal(values.rest.nr, 2);
	assert_string_equal(values.rest.v[0], "two");
	assert_string_equal(values.rest.v[1], "--all");
	opt_release(&syntax, &values);
}

static void opt_parse__nothing_given__values_are_empty(void **state)
{
	const char *argv[] = { "one", NULL };
	struct err err = ERR_INIT;
	struct values values;
	bool help;

	(void)state;
	assert_int_equal(parse(argv, &values, &help, &err), 0);
	assert_false(values.dry_run);
	assert_null(values.out);
	assert_null(values.two[0]);
	assert_int_equal(values.set.nr, 0);
	assert_int_equal(values.shared.format, 0);
	assert_int_equal(values.shared.given, -1);
	assert_int_equal(values.shared.top, 0);
	assert_int_equal(values.rest.nr, 0);
	opt_release(&syntax, &values);
}

static void opt_parse__two_values__are_the_next_two_words(void **state)
{
	const char *argv[] = { "--two", "a", "b", "one", "--two=--x", "y", NULL };
	const char *lone[] = { "one", "--two", "a", NULL }, *none[] = { "one", "--two", NULL };
	struct err err = ERR_INIT;
	struct values values;
	bool help;

	(void)state;
	assert_int_equal(parse(argv, &values, &help, &err), 0);
	assert_string_equal(values.two[0], "--x");
	assert_string_equal(values.two[1], "y");
	assert_string_equal(values.first, "one");
	assert_int_equal(values.rest.nr, 0);
	opt_release(&syntax, &values);
	assert_int_equal(parse(lone, &values, &help, &err), -1);
	assert_string_equal(err.msg, "'--two' needs two values: A B");
	opt_release(&syntax, &values);
	err_clear(&err);
	assert_int_equal(parse(none, &values, &help, &err), -1);
	assert_string_equal(err.msg, "'--two' needs two values: A B");
	opt_release(&syntax, &values);
	err_clear(&err);
}

static void opt_parse__letters_and_values__any_spelling(void **state)
{
	static const char *const spellings[][4] = {
		{ "-odir", "one", NULL },
		{ "-o", "dir", "one", NULL },
		{ "-nodir", "one", NULL },
		{ "one", "--out", "dir", NULL },
		{ "one", "-oother", "-odir", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		struct err err = ERR_INIT;
		struct values values;
		bool help;

		assert_int_equal(parse(spellings[i], &values, &help, &err), 0);
		assert_string_equal(values.out, "dir");
		assert_string_equal(values.first, "one");
		opt_release(&syntax, &values);
	}
}

/* The next argument is its value only if it looks like one. */
static void opt_parse__optional_value__joined_or_a_word_that_is_one(void **state)
{
	static const struct {
		const char *argv[5], *fetch;
	} cases[] = {
		{ { "run", NULL }, NULL },
		{ { "run", "--fetch", NULL }, "" },
		{ { "--fetch", "run", NULL }, "" },
		{ { "--fetch", "http://x", "run", NULL }, "http://x" },
		{ { "--fetch=dir", "run", NULL }, "dir" },
		{ { "--fetch=", "run", NULL }, "" },
		{ { "run", "--fetch", "-n", NULL }, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		struct values values;
		bool help = false;

		assert_int_equal(parse(cases[i].argv, &values, &help, &err), 0);
		assert_string_equal(values.first, "run");
		assert_int_equal(!values.fetch, !cases[i].fetch);
		if (cases[i].fetch)
			assert_string_equal(values.fetch, cases[i].fetch);
		opt_release(&syntax, &values);
	}
}

static void opt_parse__help__wins_over_what_is_missing(void **state)
{
	static const char *const spellings[][3] = {
		{ "--help", "--wrong", NULL },
		{ "-nh", NULL },
		{ "one", "-h", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		struct err err = ERR_INIT;
		struct values values;
		bool help;

		assert_int_equal(parse(spellings[i], &values, &help, &err), 0);
		assert_true(help);
		opt_release(&syntax, &values);
	}
}

static void opt_parse__mistakes__say_what_is_wrong(void **state)
{
	static const struct {
		const char *argv[4];
		const char *msg;
	} cases[] = {
		{ { NULL }, "no FIRST given" },
		{ { "--dry-rum", NULL }, "unknown option '--dry-rum' (did you mean '--dry-run'?)" },
		{ { "--xyzzy=1", NULL }, "unknown option '--xyzzy'" },
		{ { "-x", NULL }, "unknown option '-x'" },
		{ { "--dry-run=yes", NULL }, "'--dry-run' takes no value" },
		{ { "--out", NULL }, "'--out' needs a value: DIR" },
		{ { "-o", NULL }, "'-o' needs a value: DIR" },
		{ { "--top", "0", NULL }, "'--top' takes a whole number from 1 up, not '0'" },
		{ { "--top=ten", NULL }, "'--top' takes a whole number from 1 up, not 'ten'" },
		{ { "--format", "jsn", NULL },
		  "'--format' takes text, json or csv, not 'jsn' (did you mean 'json'?)" },
		{ { "--format=", NULL }, "'--format' takes text, json or csv, not ''" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;
		struct values values;
		bool help;

		assert_int_equal(parse(cases[i].argv, &values, &help, &err), -1);
		assert_int_equal(err.code, ERR_USAGE);
		assert_string_equal(err.msg, cases[i].msg);
		opt_release(&syntax, &values);
		err_clear(&err);
	}
}

static void opt_parse__after_the_dashes__is_a_command(void **state)
{
	static const struct opt_arg command[] = {
		{ "FIRST", "", true, OPT_ONE, offsetof(struct values, first) },
		{ "COMMAND", "", true, OPT_AFTER, offsetof(struct values, rest) },
		OPT_ARG_END,
	};
	const struct opt_syntax with = { groups, command, sizeof(struct values) };
	const char *argv[] = { "-n", "--", "cc", "-a", "--", "--help", NULL };
	const char *none[] = { "one", "--", NULL };
	const char *two[] = { "one", "two", NULL };
	struct err err = ERR_INIT;
	struct values values;
	bool help = false;

	(void)state;
	assert_int_equal(opt_parse(&with, argv, &values, &help, &err), 0);
	assert_false(help || values.all);
	assert_true(values.dry_run);
	assert_null(values.first);
	assert_int_equal(values.rest.nr, 4);
	assert_string_equal(values.rest.v[0], "cc");
	assert_string_equal(values.rest.v[3], "--help");
	opt_release(&with, &values);
	assert_int_equal(opt_parse(&with, none, &values, &help, &err), 0);
	assert_string_equal(values.first, "one");
	assert_int_equal(values.rest.nr, 0);
	opt_release(&with, &values);
	assert_int_equal(opt_parse(&with, two, &values, &help, &err), -1);
	assert_string_equal(err.msg, "unexpected argument 'two': a command stands after '--'");
	opt_release(&with, &values);
	err_clear(&err);
}

static void opt_parse__two_lists__are_parted_by_dashes(void **state)
{
	struct lists {
		struct strvec first, second;
		bool flag;
	};
	static const struct opt flags[] = {
		{ 'f', "flag", OPT_FLAG, NULL, "", offsetof(struct lists, flag), NULL }, OPT_END
	};
	static const struct opt_group flag_groups[] = { { "Options", flags, 0 }, OPT_GROUP_END };
	static const struct opt_arg lists[] = {
		{ "BASE", "", false, OPT_MANY, offsetof(struct lists, first) },
		{ "NEW", "", true, OPT_THEN, offsetof(struct lists, second) },
		OPT_ARG_END,
	};
	const struct opt_syntax with = { flag_groups, lists, sizeof(struct lists) };
	const char *argv[] = { "a", "b", "--", "c", "--flag", "d", "--", "--flag", NULL };
	const char *one[] = { "a", "b", NULL };
	const char *none[] = { "--", "c", NULL };
	struct err err = ERR_INIT;
	struct lists values;
	bool help = false;

	(void)state;
	assert_int_equal(opt_parse(&with, argv, &values, &help, &err), 0);
	assert_true(values.flag);
	assert_int_equal(values.first.nr, 2);
	assert_int_equal(values.second.nr, 3);
	assert_string_equal(values.second.v[1], "d");
	assert_string_equal(values.second.v[2], "--flag");
	opt_release(&with, &values);
	assert_int_equal(opt_parse(&with, one, &values, &help, &err), 0);
	assert_int_equal(values.first.nr, 2);
	assert_int_equal(values.second.nr, 0);
	opt_release(&with, &values);
	assert_int_equal(opt_parse(&with, none, &values, &help, &err), -1);
	assert_string_equal(err.msg, "no BASE given");
	opt_release(&with, &values);
	err_clear(&err);
}

static void opt_parse__more_arguments_than_named__fails(void **state)
{
	static const struct opt_arg one[] = {
		{ "FIRST", "", false, OPT_ONE, offsetof(struct values, first) },
		OPT_ARG_END,
	};
	const struct opt_syntax narrow = { NULL, one, sizeof(struct values) };
	const char *argv[] = { "a", "b", NULL };
	struct err err = ERR_INIT;
	struct values values;
	bool help = false;

	(void)state;
	assert_int_equal(opt_parse(&narrow, argv, &values, &help, &err), -1);
	assert_string_equal(err.msg, "unexpected argument 'b'");
	opt_release(&narrow, &values);
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opt_parse__every_type__lands_in_its_member),
		cmocka_unit_test(opt_parse__nothing_given__values_are_empty),
		cmocka_unit_test(opt_parse__two_values__are_the_next_two_words),
		cmocka_unit_test(opt_parse__letters_and_values__any_spelling),
		cmocka_unit_test(opt_parse__optional_value__joined_or_a_word_that_is_one),
		cmocka_unit_test(opt_parse__help__wins_over_what_is_missing),
		cmocka_unit_test(opt_parse__mistakes__say_what_is_wrong),
		cmocka_unit_test(opt_parse__after_the_dashes__is_a_command),
		cmocka_unit_test(opt_parse__two_lists__are_parted_by_dashes),
		cmocka_unit_test(opt_parse__more_arguments_than_named__fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
