#include "platform/below.h"

#include "unit/fs_place.h"

static void below_read__regular_files__are_read(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	put("run/plain", "plain");
	put("run/logs/a.log", "one\ntwo\n");
	assert_int_equal(below_read("run", "plain", 100, &sb, &err), 0);
	assert_int_equal(below_read("run", "logs/a.log", 100, &sb, &err), 0);
	assert_int_equal(below_read_end("run", "logs/a.log", 4, &sb, &err), 0);
	assert_string_equal(sb.buf, "plainone\ntwo\ntwo\n");
	assert_int_equal(below_size("run", "logs/a.log"), 8);
	strbuf_release(&sb);
	check_failed(below_read("run", "plain", 4, &sb, &err), &err, ERR_UNSUPPORTED, "run/plain");
	check_failed(below_read("run", "none", 4, &sb, &err), &err, ERR_NOT_FOUND, "run/none");
	check_failed(below_read("run", "logs/none", 4, &sb, &err), &err, ERR_NOT_FOUND,
		     "logs/none");
	strbuf_release(&sb);
}

static void below_write__left_by_an_interrupted_write__is_replaced(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("run/plain", "plain");
	put("run/plain.partial", "half");
	assert_int_equal(below_write("run", "plain", "new", 3, &err), 0);
	check_text("run/plain", "new");
	assert_false(fs_exists("run/plain.partial"));
}

static void below_list__files_below__are_relative_with_slashes(void **state)
{
	static const char *const files[] = { "a", "a-b", "a.d/x", "b/c/d", "b/e" };
	struct strvec none = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	put("tree/b/e", "");
	put("tree/b/c/d", "");
	put("tree/a.d/x", "");
	put("tree/a-b", "");
	put("tree/a", "");
	assert_int_equal(fs_mkdir("tree/empty", &err), 0);
	check_names(below_list, "tree", files, ARRAY_SIZE(files));
	check_names(below_list, "tree/", files, ARRAY_SIZE(files));
	check_failed(below_list("none", &none, &err), &err, ERR_FAILED, "'none'");
}

static void below_list__too_deep__is_an_error(void **state)
{
	struct strvec files = STRVEC_INIT;
	struct strbuf path = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	strbuf_adds(&path, "tree");
	for (int i = 0; i < 33; i++)
		strbuf_adds(&path, "/d");
	assert_int_equal(fs_mkdir_all(path.buf, &err), 0);
	check_failed(below_list("tree", &files, &err), &err, ERR_UNSUPPORTED, "d/d");
	strbuf_release(&path);
	strvec_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(below_read__regular_files__are_read),
		TEST(below_write__left_by_an_interrupted_write__is_replaced),
		TEST(below_list__files_below__are_relative_with_slashes),
		TEST(below_list__too_deep__is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
