#include "platform/output.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fs_place.h"

static struct output *open_output(const char *path, unsigned int kind)
{
	struct output *output = NULL;
	struct err err = ERR_INIT;

	assert_int_equal(output_open(path, kind, &output, &err), 0);
	return output;
}

static void output_finish__new_file__has_its_name_when_it_is_whole(void **state)
{
	static const enum output_kind kinds[] = { OUTPUT_STREAM, OUTPUT_PRIVATE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct output *output = open_output("new", kinds[i]);
		struct err err = ERR_INIT;

		assert_false(fs_exists("new"));
		assert_true(fputs("text", output_stream(output)) >= 0);
		assert_int_equal(output_finish(output, &err), 0);
		output_free(output);
		check_text("new", "text");
		assert_false(fs_exists("new.partial"));
		assert_int_equal(fs_remove("new", &err), 0);
	}
}

static void output_finish__old_file__is_replaced(void **state)
{
	struct err err = ERR_INIT;
	struct output *output;

	(void)state;
	put("old", "a longer old text");
	put("old.partial", "left by a command that was killed");
	output = open_output("old", OUTPUT_STREAM | OUTPUT_REPLACE);
	check_text("old", "a longer old text");
	assert_true(fputs("new", output_stream(output)) >= 0);
	assert_int_equal(output_finish(output, &err), 0);
	output_free(output);
	check_text("old", "new");
	assert_false(fs_exists("old.partial"));
}

/* Also if it came while the new one was written. */
static void output_open__a_file_is_there__is_not_replaced(void **state)
{
	static const unsigned int kinds[] = { OUTPUT_STREAM, OUTPUT_PRIVATE };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct output *output = open_output("came", kinds[i]);
		struct err err = ERR_INIT;

		put("came", "old");
		check_failed(output_finish(output, &err), &err, ERR_UNSUPPORTED, "'came' exists");
		output_free(output);
		check_failed(output_check("came", kinds[i], NULL, &err), &err, ERR_UNSUPPORTED,
			     "--force");
		check_failed(output_open("came", kinds[i], &output, &err), &err, ERR_UNSUPPORTED,
			     "--force");
		assert_int_equal(output_check("came", kinds[i] | OUTPUT_REPLACE, NULL, &err), 0);
		check_text("came", "old");
		assert_false(fs_exists("came.partial"));
		assert_int_equal(fs_remove("came", &err), 0);
	}
}

static void output_free__not_finished__leaves_what_was_there(void **state)
{
	(void)state;
	put("old", "old");
	output_free(open_output("old", OUTPUT_STREAM | OUTPUT_REPLACE));
	output_free(open_output("none", OUTPUT_PRIVATE));
	output_free(NULL);
	check_text("old", "old");
	assert_false(fs_exists("old.partial"));
	assert_false(fs_exists("none"));
	assert_false(fs_exists("none.partial"));
}

static void output_open__bad_places__are_refused(void **state)
{
	static const struct {
		const char *path;
		enum err_code code;
	} cases[] = {
		{ "dir", ERR_USAGE }, { "dir/", ERR_USAGE },       { ".", ERR_USAGE },
		{ "..", ERR_USAGE },  { "none/x", ERR_NOT_FOUND },
	};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("dir", &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct output *output;

		check_failed(output_open(cases[i].path, OUTPUT_STREAM, &output, &err), &err,
			     cases[i].code, cases[i].path);
		check_failed(output_check(cases[i].path, OUTPUT_PRIVATE, NULL, &err), &err,
			     cases[i].code, cases[i].path);
	}
}

static void output_check__what_is_read__is_not_replaced(void **state)
{
	struct strvec inputs = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	put("trace", "trace");
	put("other", "other");
	strvec_push(&inputs, "none");
	strvec_push(&inputs, "./trace");
	check_failed(output_check("trace", OUTPUT_STREAM, &inputs, &err), &err, ERR_USAGE,
		     "'trace'");
	assert_int_equal(output_check("other", OUTPUT_STREAM | OUTPUT_REPLACE, &inputs, &err), 0);
	assert_int_equal(output_check("new", OUTPUT_STREAM, &inputs, &err), 0);
	strvec_push(&inputs, "other.partial");
	put("other.partial", "other");
	check_failed(output_check("other", OUTPUT_STREAM, &inputs, &err), &err, ERR_USAGE,
		     "'other.partial'");
	put("run/trace", "trace");
	put("run/logs/log", "log");
	strvec_push(&inputs, "./run");
	check_failed(output_check("run/trace", OUTPUT_STREAM, &inputs, &err), &err, ERR_USAGE,
		     "'run/trace' is inside the run");
	check_failed(output_check("run/logs/new", OUTPUT_PRIVATE, &inputs, &err), &err, ERR_USAGE,
		     "'run/logs/new' is inside the run");
	assert_int_equal(output_check("running", OUTPUT_STREAM, &inputs, &err), 0);
	strvec_release(&inputs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(output_finish__new_file__has_its_name_when_it_is_whole),
		TEST(output_finish__old_file__is_replaced),
		TEST(output_open__a_file_is_there__is_not_replaced),
		TEST(output_free__not_finished__leaves_what_was_there),
		TEST(output_open__bad_places__are_refused),
		TEST(output_check__what_is_read__is_not_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
