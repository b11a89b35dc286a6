#include "platform/fs.h"

#include <errno.h>

#include "unit/fs_place.h"

static void fs_predicates__files_and_directories__are_distinguished(void **state)
{
	static const struct {
		const char *path;
		bool exists, is_dir, can_read;
		int64_t size;
	} cases[] = {
		{ "dir", true, true, true, -1 },
		{ "dir/", true, true, true, -1 },
		{ ".", true, true, true, -1 },
		{ "file", true, false, true, 5 },
		{ "dir/../file", true, false, true, 5 },
		{ "none", false, false, false, -1 },
		{ "file/below", false, false, false, -1 },
		{ "", false, false, false, -1 },
	};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("dir", &err), 0);
	put("file", "12345");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (fs_exists(cases[i].path) != cases[i].exists ||
		    fs_is_dir(cases[i].path) != cases[i].is_dir ||
		    fs_can_read(cases[i].path) != cases[i].can_read || fs_is_link(cases[i].path) ||
		    fs_is_executable(cases[i].path) || fs_size(cases[i].path) != cases[i].size)
			fail_msg("'%s'", cases[i].path);
	}
	assert_true(fs_can_write_in("dir"));
	assert_false(fs_can_write_in("none"));
}

static void fs_mkdir__existing__is_fine_but_no_file(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("a", &err), 0);
	assert_int_equal(fs_mkdir("a", &err), 0);
	put("file", "");
	check_failed(fs_mkdir("file", &err), &err, ERR_FAILED, "'file'");
	check_failed(fs_mkdir("b/c", &err), &err, ERR_FAILED, "'b/c'");
	check_failed(fs_mkdir("", &err), &err, ERR_FAILED, "''");
}

static void fs_mkdir_all__paths_of_all_shapes__are_made(void **state)
{
	static const char *const paths[] = { "a", "b/c/d", "e//f/", "./g/h", "b/c/i", "/" };
	struct place *place = *state;
	struct err err = ERR_INIT;
	char *absolute = fs_join(place->temp, "j/k");

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		assert_int_equal(fs_mkdir_all(paths[i], &err), 0);
		assert_true(fs_is_dir(paths[i]));
	}
	assert_int_equal(fs_mkdir_all(absolute, &err), 0);
	assert_true(fs_is_dir("j/k"));
	free(absolute);
}

static void fs_mkdir_all__file_in_the_way__fails(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("a/file", "");
	check_failed(fs_mkdir_all("a/file/b/c", &err), &err, ERR_FAILED, "a/file");
	check_failed(fs_mkdir_all("a/file", &err), &err, ERR_FAILED, "a/file");
	check_failed(fs_mkdir_all("", &err), &err, ERR_FAILED, "''");
}

static void fs_mkdir_new__existing__is_unsupported(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir_new("run", &err), 0);
	check_failed(fs_mkdir_new("run", &err), &err, ERR_UNSUPPORTED, "'run'");
	check_failed(fs_mkdir_new("none/run", &err), &err, ERR_FAILED, "'none/run'");
}

static void fs_rename__file_in_place__is_replaced(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("from", "new");
	put("to", "old");
	assert_int_equal(fs_rename("from", "to", &err), 0);
	check_text("to", "new");
	assert_false(fs_exists("from"));
	check_failed(fs_rename("none", "to", &err), &err, ERR_FAILED, "'none'");
	check_text("to", "new");
}

static void fs_remove__absent__is_fine(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("file", "");
	assert_int_equal(fs_remove("file", &err), 0);
	assert_int_equal(fs_remove("file", &err), 0);
	assert_int_equal(fs_mkdir("dir", &err), 0);
	check_failed(fs_remove("dir", &err), &err, ERR_FAILED, "'dir'");
}

static void fs_remove_tree__all_below__goes(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("tree/a/b/c", "");
	put("tree/a/.hidden", "");
	put("tree/\xc3\xa4 b/\xe2\x82\xac", "");
	assert_int_equal(fs_mkdir("tree/empty", &err), 0);
	assert_int_equal(fs_remove_tree("tree", &err), 0);
	assert_false(fs_exists("tree"));
	assert_int_equal(fs_remove_tree("tree", &err), 0);
	put("file", "");
	assert_int_equal(fs_remove_tree("file", &err), 0);
	assert_false(fs_exists("file"));
}

static void fs_list__names__are_sorted_bytewise(void **state)
{
	static const char *const names[] = { ".hidden", "B", "a", "a b", "a.b", "c", "\xc3\xa4" };
	struct strvec none = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = ARRAY_SIZE(names); i-- > 0;) {
		char *path = fs_join("dir", names[i]);

		put(path, "");
		free(path);
	}
	check_names(fs_list, "dir", names, ARRAY_SIZE(names));
	assert_int_equal(fs_mkdir("empty", &err), 0);
	check_names(fs_list, "empty", NULL, 0);
	check_failed(fs_list("none", &none, &err), &err, ERR_FAILED, "'none'");
	check_failed(fs_list("dir/a", &none, &err), &err, ERR_FAILED, "'dir/a'");
	assert_int_equal(none.nr, 0);
}

static void fs_open__modes__are_those_of_c(void **state)
{
	FILE *file = fs_open("file", "wbx");
	char text[16] = "";

	(void)state;
	assert_non_null(file);
	fputs("a\r\nb\n\x1a", file);
	fclose(file);
	assert_null(fs_open("file", "wbx"));
	assert_int_equal(errno, EEXIST);
	file = fs_open("file", "ab");
	assert_non_null(file);
	rewind(file);
	fputs("c", file);
	fclose(file);
	check_text("file", "a\r\nb\n\x1a"
			   "c");
	file = fs_open("file", "rb+");
	assert_non_null(file);
	assert_int_equal(fread(text, 1, sizeof(text), file), 7);
	assert_string_equal(text, "a\r\nb\n\x1a"
				  "c");
	rewind(file);
	fputs("A", file);
	fclose(file);
	check_text("file", "A\r\nb\n\x1a"
			   "c");
	file = fs_open("file", "wb");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(fs_size("file"), 0);
	assert_null(fs_open("none", "rb"));
	assert_int_equal(errno, ENOENT);
	assert_null(fs_open("none/file", "wb"));
	assert_int_equal(errno, ENOENT);
}

static void fs_read__up_to_the_limit__is_appended(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	put("file", "12345");
	put("empty", "");
	strbuf_adds(&sb, "x");
	assert_int_equal(fs_read("file", 5, &sb, &err), 0);
	assert_string_equal(sb.buf, "x12345");
	assert_int_equal(fs_read("empty", 0, &sb, &err), 0);
	assert_int_equal(sb.len, 6);
	check_failed(fs_read("file", 4, &sb, &err), &err, ERR_UNSUPPORTED, "'file'");
	check_failed(fs_read("none", 4, &sb, &err), &err, ERR_NOT_FOUND, "'none'");
	check_failed(fs_read(".", 4, &sb, &err), &err, ERR_FAILED, "'.'");
	strbuf_release(&sb);
}

static void fs_read__large_with_nul_bytes__is_whole(void **state)
{
	size_t size = 300001;
	char *data = xcalloc(size, 1);
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < size; i++)
		data[i] = (char)(i * 7);
	assert_int_equal(fs_write_atomic("data", data, size, &err), 0);
	assert_int_equal(fs_read("data", (int64_t)size, &sb, &err), 0);
	assert_int_equal(sb.len, size);
	assert_memory_equal(sb.buf, data, size);
	strbuf_release(&sb);
	free(data);
}

static void fs_read_end__long_and_short__gives_the_last_bytes(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "log");

	(void)state;
	assert_int_equal(fs_write_atomic(path, "one two three", 13, &err), 0);
	assert_int_equal(fs_read_end(path, 5, &sb, &err), 0);
	assert_string_equal(sb.buf, "three");
	assert_int_equal(fs_read_end(path, 100, &sb, &err), 0);
	assert_string_equal(sb.buf, "threeone two three");
	assert_int_equal(fs_remove(path, &err), 0);
	assert_int_equal(fs_read_end(path, 5, &sb, &err), -1);
	err_clear(&err);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	strbuf_release(&sb);
	free(path);
	free(dir);
}

static void fs_write_atomic__existing__is_replaced(void **state)
{
	static const char *const names[] = { "file" };
	struct err err = ERR_INIT;

	(void)state;
	put("file", "old and longer");
	assert_int_equal(fs_write_atomic("file", "new", 3, &err), 0);
	check_text("file", "new");
	assert_int_equal(fs_write_atomic("file", NULL, 0, &err), 0);
	check_text("file", "");
	check_names(fs_list, ".", names, ARRAY_SIZE(names));
}

static void fs_sync__open_file__is_written(void **state)
{
	struct err err = ERR_INIT;
	FILE *file = fs_open("file", "wb");

	(void)state;
	fputs("text", file);
	assert_int_equal(fs_sync(file, "file", &err), 0);
	check_text("file", "text");
	fclose(file);
	assert_int_equal(fs_sync_dir(".", &err), 0);
	check_failed(fs_sync_dir("none", &err), &err, ERR_FAILED, "'none'");
}

static void fs_lock__renamed_directory__stays_held(void **state)
{
	struct fs_lock *lock = NULL, *second = NULL;
	struct err err = ERR_INIT;

	(void)state;
	put("run/file", "");
	assert_int_equal(fs_lock("run", &lock, &err), 0);
	check_failed(fs_lock("run", &second, &err), &err, ERR_UNSUPPORTED, "'run'");
	assert_int_equal(fs_rename("run", "renamed", &err), 0);
	check_failed(fs_lock("renamed/.", &second, &err), &err, ERR_UNSUPPORTED, "'renamed/.'");
	/* Another of the old name is another. */
	assert_int_equal(fs_mkdir("run", &err), 0);
	assert_int_equal(fs_lock("run", &second, &err), 0);
	fs_unlock(second);
	fs_unlock(lock);
	assert_int_equal(fs_lock("renamed", &lock, &err), 0);
	fs_unlock(lock);
	check_failed(fs_lock("none", &lock, &err), &err, ERR_FAILED, "'none'");
	check_failed(fs_lock("renamed/file", &lock, &err), &err, ERR_FAILED, "'renamed/file'");
	fs_unlock(NULL);
}

static void fs_absolute__dots__are_resolved(void **state)
{
	struct err err = ERR_INIT;
	char *direct, *around;

	(void)state;
	assert_int_equal(fs_mkdir("dir", &err), 0);
	direct = fs_absolute("dir");
	around = fs_absolute("dir/../dir/.");
	assert_non_null(direct);
	assert_true(strlen(direct) > strlen("/dir"));
	assert_string_equal(direct, around);
	free(direct);
	free(around);
	assert_null(fs_absolute("none"));
	assert_null(fs_absolute(""));
}

static void fs_temp_dir__each__is_new_and_empty(void **state)
{
	struct err err = ERR_INIT;
	char *first = fs_temp_dir(&err), *second = fs_temp_dir(&err);

	(void)state;
	assert_true(fs_is_dir(first) && fs_is_dir(second));
	assert_string_not_equal(first, second);
	check_names(fs_list, first, NULL, 0);
	assert_int_equal(fs_remove_tree(first, &err), 0);
	assert_int_equal(fs_remove_tree(second, &err), 0);
	free(first);
	free(second);
}

static void fs_write_atomic__failing__leaves_all_as_it_was(void **state)
{
	static const char *const names[] = { "dir", "old" };
	struct err err = ERR_INIT;

	(void)state;
	put("old", "old");
	put("dir/file", "");
	check_failed(fs_write_atomic("dir", "x", 1, &err), &err, ERR_FAILED, "'dir'");
	check_failed(fs_write_atomic("none/file", "x", 1, &err), &err, ERR_FAILED, "none/file");
	check_failed(fs_write_atomic("old/file", "x", 1, &err), &err, ERR_FAILED, "old/file");
	check_names(fs_list, ".", names, ARRAY_SIZE(names));
	check_text("old", "old");
}

static void fs_copy__file__is_the_same_bytes(void **state)
{
	static const char *const names[] = { "dir", "from", "to" };
	struct err err = ERR_INIT;

	(void)state;
	put("from", "bytes");
	put("to", "old");
	assert_int_equal(fs_mkdir("dir", &err), 0);
	assert_int_equal(fs_copy("from", "to", &err), 0);
	check_text("to", "bytes");
	check_failed(fs_copy("none", "to", &err), &err, ERR_FAILED, "'none'");
	check_failed(fs_copy("dir", "to", &err), &err, ERR_FAILED, "'dir'");
	check_failed(fs_copy("from", "none/to", &err), &err, ERR_FAILED, "none/to");
	check_failed(fs_copy("from", "dir", &err), &err, ERR_FAILED, "'dir'");
	check_text("to", "bytes");
	check_names(fs_list, ".", names, ARRAY_SIZE(names));
}

static void fs_free_space__here_and_nowhere__is_known_or_not(void **state)
{
	(void)state;
	assert_true(fs_free_space(".") > 0);
	assert_int_equal(fs_free_space("none"), -1);
}

static void fs_join__dir_and_name__make_a_path(void **state)
{
	static const struct {
		const char *dir, *name, *path;
	} cases[] = {
		{ "a", "b", "a/b" },
		{ "a/", "b", "a/b" },
		{ "/", "b", "/b" },
		{ "", "b", "b" },
		{ ".", "b", "b" },
		{ "a", "/b", "/b" },
		{ "/x/y", "../b", "/x/y/../b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path = fs_join(cases[i].dir, cases[i].name);

		assert_string_equal(path, cases[i].path);
		free(path);
	}
}

static void fs_dirname__path__is_the_part_before(void **state)
{
	static const struct {
		const char *path, *dir;
	} cases[] = {
		{ "a", "." }, { "a/b", "a" }, { "/a/b", "/a" }, { "/a", "/" },
		{ "/", "/" }, { "", "." },    { "./a", "." },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *dir = fs_dirname(cases[i].path);

		assert_string_equal(dir, cases[i].dir);
		free(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fs_predicates__files_and_directories__are_distinguished),
		TEST(fs_mkdir__existing__is_fine_but_no_file),
		TEST(fs_mkdir_all__paths_of_all_shapes__are_made),
		TEST(fs_mkdir_all__file_in_the_way__fails),
		TEST(fs_mkdir_new__existing__is_unsupported),
		TEST(fs_rename__file_in_place__is_replaced),
		TEST(fs_remove__absent__is_fine),
		TEST(fs_remove_tree__all_below__goes),
		TEST(fs_list__names__are_sorted_bytewise),
		TEST(fs_open__modes__are_those_of_c),
		TEST(fs_read__up_to_the_limit__is_appended),
		TEST(fs_read__large_with_nul_bytes__is_whole),
		TEST(fs_read_end__long_and_short__gives_the_last_bytes),
		TEST(fs_write_atomic__existing__is_replaced),
		TEST(fs_sync__open_file__is_written),
		TEST(fs_lock__renamed_directory__stays_held),
		TEST(fs_absolute__dots__are_resolved),
		TEST(fs_temp_dir__each__is_new_and_empty),
		TEST(fs_write_atomic__failing__leaves_all_as_it_was),
		TEST(fs_copy__file__is_the_same_bytes),
		TEST(fs_free_space__here_and_nowhere__is_known_or_not),
		TEST(fs_join__dir_and_name__make_a_path),
		TEST(fs_dirname__path__is_the_part_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
