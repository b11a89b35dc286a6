/*
 * file_at, file_map and scratch_file on Windows.
 */
#include "platform/file.h"

#include "unit/fs_place.h"
#include "unit/windows/again.h"

static void file_at_read__any_place__is_read(void **state)
{
	struct file_at *file;
	struct err err = ERR_INIT;
	char text[8] = "";
	FILE *more;

	(void)state;
	put("f\xc3\xa4", "0123456789");
	assert_int_equal(file_at_open("f\xc3\xa4", &file, &err), 0);
	assert_int_equal(file_at_size(file), 10);
	assert_int_equal(file_at_read(file, 7, text, 8, &err), 3);
	assert_string_equal(text, "789");
	assert_int_equal(file_at_read(file, 0, text, 2, &err), 2);
	assert_string_equal(text, "019");
	assert_int_equal(file_at_read(file, 10, text, 8, &err), 0);
	assert_int_equal(file_at_read(file, UINT64_C(1) << 40, text, 8, &err), 0);
	assert_int_equal(file_at_read(file, UINT64_MAX - 4, text, 8, &err), 0);
	/* It grows, is moved, and is gone. */
	more = fs_open("f\xc3\xa4", "ab");
	assert_non_null(more);
	fputs("ab", more);
	fclose(more);
	assert_int_equal(fs_rename("f\xc3\xa4", "g", &err), 0);
	assert_int_equal(file_at_size(file), 12);
	assert_int_equal(file_at_read(file, 10, text, 8, &err), 2);
	assert_int_equal(fs_remove("g", &err), 0);
	file_at_close(file);
	file_at_close(NULL);
}

static void file_at_open__no_file__says_so(void **state)
{
	struct file_at *file;
	struct err err = ERR_INIT;

	(void)state;
	check_failed(file_at_open("none", &file, &err), &err, ERR_FAILED, "'none'");
	check_failed(file_at_open(".", &file, &err), &err, ERR_UNSUPPORTED, "'.'");
	check_failed(file_at_open("NUL", &file, &err), &err, ERR_UNSUPPORTED, "'NUL'");
}

static void file_map_open__file__is_its_bytes_and_stays_as_it_is(void **state)
{
	struct err err = ERR_INIT;
	struct file_map map;

	(void)state;
	put("file", "text");
	assert_int_equal(file_map_open("file", &map, &err), 0);
	assert_int_equal(map.size, 4);
	assert_memory_equal(map.data, "text", 4);
	file_map_drop(&map);
	assert_memory_equal(map.data, "text", 4);
	map.data[0] = 'X';
	check_text("file", "text");
	file_map_close(&map);
	assert_null(map.data);
	file_map_close(&map);
	put("file", "");
	assert_int_equal(file_map_open("file", &map, &err), 0);
	assert_null(map.data);
	assert_int_equal(map.size, 0);
	file_map_close(&map);
	check_failed(file_map_open("none", &map, &err), &err, ERR_FAILED, "'none'");
	check_failed(file_map_open(".", &map, &err), &err, ERR_UNSUPPORTED, "'.'");
	assert_null(map.data);
}

static void scratch_file__written_anywhere__is_read(void **state)
{
	const struct place *place = *state;
	wchar_t *here = wide_from_utf8(place->temp), old[512];
	struct scratch_file *file;
	struct err err = ERR_INIT;
	char text[4];

	GetEnvironmentVariableW(L"TMP", old, ARRAY_SIZE(old));
	SetEnvironmentVariableW(L"TMP", here);
	assert_int_equal(scratch_file_open(&file, &err), 0);
	assert_int_equal(scratch_file_write(file, UINT64_C(5) << 30, "far", 4, &err), 0);
	assert_int_equal(scratch_file_write(file, 0, "old", 4, &err), 0);
	assert_int_equal(scratch_file_write(file, 0, "new", 4, &err), 0);
	assert_int_equal(scratch_file_read(file, UINT64_C(5) << 30, text, 4, &err), 0);
	assert_string_equal(text, "far");
	assert_int_equal(scratch_file_read(file, 0, text, 4, &err), 0);
	assert_string_equal(text, "new");
	check_failed(scratch_file_read(file, UINT64_C(6) << 30, text, 4, &err), &err, ERR_FAILED,
		     place->temp);
	scratch_file_close(file);
	scratch_file_close(NULL);
	/* Nothing of it is left. */
	check_names(fs_list, ".", NULL, 0);
	SetEnvironmentVariableW(L"TMP", L"C:\\no\\such");
	file = NULL;
	check_failed(scratch_file_open(&file, &err), &err, ERR_FAILED, "TMP chooses another");
	assert_null(file);
	SetEnvironmentVariableW(L"TMP", old);
	free(here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(file_at_read__any_place__is_read),
		TEST(file_at_open__no_file__says_so),
		TEST(file_map_open__file__is_its_bytes_and_stays_as_it_is),
		TEST(scratch_file__written_anywhere__is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
