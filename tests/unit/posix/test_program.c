#include "platform/program.h"

#include <sys/stat.h>

#include "unit/fs_place.h"

#define USER 12345

static void make_program(const char *path)
{
	put(path, "#!/bin/sh\n");
	assert_int_equal(chmod(path, 0755), 0);
}

static void expect(const char *path_variable, const char *found)
{
	struct err err = ERR_INIT;
	char *path, *expected = found ? fs_absolute(found) : NULL;

	setenv("PATH", path_variable, 1);
	path = program_find_own("tool", &err);
	if (found) {
		assert_non_null(path);
		assert_string_equal(path, expected);
	} else {
		assert_null(path);
		assert_true(err.code == ERR_UNSUPPORTED || err.code == ERR_NOT_FOUND);
	}
	err_clear(&err);
	free(expected);
	free(path);
}

static void program_find_own__path__is_searched_in_order(void **state)
{
	char *old = xstrdup(getenv("PATH"));

	(void)state;
	make_program("second/tool");
	make_program("third/tool");
	put("first/tool", "no program");
	expect("first:second:third", "second/tool");
	expect("first:nowhere", NULL);
	expect("", NULL);
	setenv("PATH", old, 1);
	free(old);
}

static void program_find_own__as_root__passes_over_what_others_can_replace(void **state)
{
	char *old = xstrdup(getenv("PATH"));

	(void)state;
	if (geteuid()) {
		print_message("for root alone\n");
		skip();
	}
	make_program("safe/tool");
	make_program("theirs/tool");
	make_program("open/tool");
	make_program("file/tool");
	make_program("above/bin/tool");
	assert_int_equal(fs_mkdir("sticky", &(struct err)ERR_INIT), 0);
	make_program("sticky/tool");
	assert_int_equal(chown("theirs", USER, USER), 0);
	assert_int_equal(chmod("open", 0777), 0);
	assert_int_equal(chown("file/tool", USER, USER), 0);
	assert_int_equal(chmod("above", 0777), 0);
	assert_int_equal(chmod("sticky", 01777), 0);
	/* A safe link to a program that is not. */
	assert_int_equal(mkdir("links", 0755) | symlink("../theirs/tool", "links/tool"), 0);
	expect("theirs", NULL);
	expect("open", NULL);
	expect("file", NULL);
	expect("above/bin", NULL);
	expect("links", NULL);
	expect("sticky", "sticky/tool");
	expect("theirs:open:file:above/bin:links:safe", "safe/tool");
	setenv("PATH", old, 1);
	free(old);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(program_find_own__path__is_searched_in_order),
		TEST(program_find_own__as_root__passes_over_what_others_can_replace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
