/*
 * Files on Windows: long paths, drives, extensions of programs. Tests for all systems are in unit/test_fs.c.
 */
#include "platform/fs.h"

#include "platform/below.h"
#include "platform/child.h"
#include "platform/program.h"
#include "unit/fs_place.h"
#include "unit/windows/again.h"
#include "util/text.h"

#define LONG (30 * NS_PER_S)

/* 400 bytes and more, in the letters of `unit`. */
static char *make_long(const char *dir, const char *unit)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_adds(&sb, dir);
	while (sb.len < 400)
		strbuf_addf(&sb, "/%s %s %s %s %s", unit, unit, unit, unit, unit);
	return strbuf_detach(&sb);
}

static void check_long(const char *dir, const char *unit)
{
	struct err err = ERR_INIT;
	char *deep = make_long(dir, unit), *file = fs_join(deep, "file"),
	     *moved = fs_join(deep, "m\xc3\xb6ved"), *sibling = fs_join(dir, "sibling");
	struct strvec names = STRVEC_INIT;
	struct fs_lock *lock;
	FILE *stream;

	assert_int_equal(fs_mkdir_all(deep, &err), 0);
	assert_true(fs_is_dir(deep) && fs_can_write_in(deep) && fs_free_space(deep) > 0);
	assert_int_equal(fs_write_atomic(file, "one", 3, &err), 0);
	assert_int_equal(fs_write_atomic(file, "two", 3, &err), 0);
	check_text(file, "two");
	assert_int_equal(fs_size(file), 3);
	assert_int_equal(fs_rename(file, moved, &err), 0);
	assert_int_equal(fs_copy(moved, file, &err), 0);
	stream = fs_open(file, "ab");
	assert_non_null(stream);
	fputs("!", stream);
	fclose(stream);
	check_text(file, "two!");
	assert_int_equal(fs_list(deep, &names, &err), 0);
	assert_int_equal(names.nr, 2);
	assert_string_equal(names.v[1], "m\xc3\xb6ved");
	assert_int_equal(fs_lock(deep, &lock, &err), 0);
	fs_unlock(lock);
	assert_int_equal(fs_remove(moved, &err), 0);
	assert_false(fs_exists(moved));
	strvec_release(&names);
	assert_int_equal(below_list(dir, &names, &err), 0);
	assert_int_equal(names.nr, 1);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	assert_false(fs_exists(dir));
	strvec_release(&names);
	free(sibling);
	free(moved);
	free(file);
	free(deep);
}

static void fs__paths_of_400_letters__are_as_others(void **state)
{
	const struct place *place = *state;
	char *below = fs_join(place->temp, "long");

	check_long("relative", "name");
	check_long("r\xc3\xa4l", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
	check_long(below, "name");
	free(below);
}

static void fs__names_from_the_system__lead_back_to_the_file(void **state)
{
	static const char *const names[] = {
		" leading", "a b",      "a%b",          "a'b",
		"a^b&c",    "\xc3\xa4", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = fs_join("dir", names[i]);

		put(path, names[i]);
		check_text(path, names[i]);
		free(path);
	}
	check_names(fs_list, "dir", names, ARRAY_SIZE(names));
}

static void fs__open_file__can_be_renamed_and_removed(void **state)
{
	struct err err = ERR_INIT;
	FILE *file;

	(void)state;
	put("a", "text");
	file = fs_open("a", "rb");
	assert_non_null(file);
	assert_int_equal(fs_rename("a", "b", &err), 0);
	assert_int_equal(fs_remove("b", &err), 0);
	assert_int_equal(fgetc(file), 't');
	fclose(file);
	assert_false(fs_exists("b"));
}

static void fs_remove__read_only__goes(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("a", "");
	put("tree/b", "");
	assert_true(SetFileAttributesW(L"a", FILE_ATTRIBUTE_READONLY));
	assert_true(SetFileAttributesW(L"tree\\b", FILE_ATTRIBUTE_READONLY));
	assert_int_equal(fs_remove("a", &err), 0);
	assert_int_equal(fs_remove_tree("tree", &err), 0);
	assert_false(fs_exists("a") || fs_exists("tree"));
}

/* As a scanner of viruses does: the file is not shared for a moment. */
static DWORD WINAPI close_soon(void *handle)
{
	Sleep(300);
	CloseHandle(handle);
	return 0;
}

static void fs_write_atomic__file_in_use_for_a_moment__is_waited_for(void **state)
{
	struct err err = ERR_INIT;
	HANDLE file, thread;

	(void)state;
	put("file", "old");
	file = CreateFileW(L"file", GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
	assert_true(file != INVALID_HANDLE_VALUE);
	thread = CreateThread(NULL, 0, close_soon, file, 0, NULL);
	assert_int_equal(fs_write_atomic("file", "new", 3, &err), 0);
	WaitForSingleObject(thread, INFINITE);
	CloseHandle(thread);
	check_text("file", "new");
}

static void fs_write_atomic__file_in_use_for_good__fails_with_words(void **state)
{
	static const char *const names[] = { "file" };
	struct err err = ERR_INIT;
	HANDLE file;

	(void)state;
	put("file", "old");
	file = CreateFileW(L"file", GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
	check_failed(fs_write_atomic("file", "new", 3, &err), &err, ERR_FAILED, "'file'");
	CloseHandle(file);
	check_text("file", "old");
	check_names(fs_list, ".", names, ARRAY_SIZE(names));
}

static void fs_mkdir_all__drives__are_there(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir_all("C:\\", &err), 0);
	assert_int_equal(fs_mkdir("C:/", &err), 0);
	assert_int_equal(fs_mkdir_all("a\\b/c\\", &err), 0);
	assert_true(fs_is_dir("a/b\\c"));
}

static int hold_lock(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct fs_lock *lock;

	(void)argc;
	if (fs_lock(argv[0], &lock, &err))
		return err.code == ERR_UNSUPPORTED ? 1 : 2;
	if (argc > 1) {
		put(argv[1], "");
		Sleep(60000);
	}
	return 0;
}

static const struct again children[] = { { "lock", hold_lock } };

static int64_t try_lock_elsewhere(const char *dir)
{
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	again_push(&argv, "lock");
	strvec_push(&argv, dir);
	assert_int_equal(child_capture(&argv, NULL, LONG, &output, &exit_code, &err), 0);
	strvec_release(&argv);
	strbuf_release(&output);
	return exit_code;
}

static void fs_lock__held__keeps_others_out(void **state)
{
	struct fs_lock *lock = NULL;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("run", &err), 0);
	assert_int_equal(fs_lock("run", &lock, &err), 0);
	assert_int_equal(try_lock_elsewhere("run"), 1);
	assert_int_equal(fs_rename("run", "renamed", &err), 0);
	assert_int_equal(try_lock_elsewhere("renamed"), 1);
	fs_unlock(lock);
	assert_int_equal(try_lock_elsewhere("renamed"), 0);
}

static void fs_lock__holder_killed__is_free(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv };
	struct err err = ERR_INIT;
	struct child child;

	(void)state;
	assert_int_equal(fs_mkdir("run", &err), 0);
	again_push(&argv, "lock");
	strvec_push(&argv, "run");
	strvec_push(&argv, "held");
	assert_int_equal(child_start(&options, &child, &err), 0);
	assert_int_equal(child_release(&child, &options, &err), 0);
	for (int i = 0; i < 1000 && !fs_exists("held"); i++)
		Sleep(10);
	assert_int_equal(try_lock_elsewhere("run"), 1);
	child_signal(&child, CHILD_KILL);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(try_lock_elsewhere("run"), 0);
	strvec_release(&argv);
}

static void fs_absolute__path__is_of_a_drive(void **state)
{
	char *path = fs_absolute(".");

	(void)state;
	assert_true(path[0] >= 'A' && path[0] <= 'Z' && path[1] == ':' && path[2] == '\\');
	assert_null(strchr(path, '/'));
	free(path);
	path = fs_absolute("C:/");
	assert_string_equal(path, "C:\\");
	free(path);
}

static void fs_join__windows_paths__keep_their_kind(void **state)
{
	static const struct {
		const char *dir, *name, *path;
	} cases[] = {
		{ "C:\\a", "b", "C:\\a\\b" },
		{ "C:\\a\\", "b/c", "C:\\a\\b/c" },
		{ "C:\\", "b", "C:\\b" },
		{ "C:", "b", "C:b" },
		{ "C:/a", "b", "C:/a/b" },
		{ "a\\b", "c", "a\\b\\c" },
		{ "a", "C:\\b", "C:\\b" },
		{ "a", "C:/b", "C:/b" },
		{ "a", "\\b", "\\b" },
		{ "a", "\\\\server\\share", "\\\\server\\share" },
		{ "\\\\server\\share", "b", "\\\\server\\share\\b" },
		/* Of another system's recording. */
		{ "/rustc/1234/library", "core/src/x.rs", "/rustc/1234/library/core/src/x.rs" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *path = fs_join(cases[i].dir, cases[i].name);

		assert_string_equal(path, cases[i].path);
		free(path);
	}
}

static void fs_dirname__windows_paths__end_at_their_root_before_the_name(void **state)
{
	static const struct {
		const char *path, *dir, *name;
	} cases[] = {
		{ "C:\\a\\b", "C:\\a", "b" },
		{ "C:\\a", "C:\\", "a" },
		{ "C:\\", "C:\\", "" },
		{ "C:/a/b", "C:/a", "b" },
		{ "C:a", "C:", "a" },
		{ "a\\b/c", "a\\b", "c" },
		{ "\\a", "\\", "a" },
		{ "\\\\server\\share\\a", "\\\\server\\share\\", "a" },
		{ "\\\\server\\share\\", "\\\\server\\share\\", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *dir = fs_dirname(cases[i].path);

		assert_string_equal(dir, cases[i].dir);
		assert_string_equal(fs_file_name(cases[i].path), cases[i].name);
		free(dir);
	}
}

static void check_program(const char *name, const char *expected)
{
	char *found = fs_find_program(name);

	if (!found != !expected || (found && strcmp(found, expected)))
		fail_msg("'%s' is %s", name, found ? found : "not found");
	free(found);
}

static void fs_find_program__endings__are_tried_in_order(void **state)
{
	char *path = wide_getenv("PATH");
	wchar_t *old = wide_from_utf8(path);

	(void)state;
	put("one\\tool", "");
	put("one\\script.py", "");
	put("two\\tool.cmd", "");
	put("two\\tool.exe", "");
	put("three\\other.exe", "");
	put("with ; blank\\late.exe", "");
	put("here.exe", "");
	SetEnvironmentVariableW(L"PATH", L"none;one;;\"two\";three");
	SetEnvironmentVariableW(L"PATHEXT", L".EXE;.CMD;.PY");
	check_program("tool", "two/tool.EXE");
	check_program("tool.cmd", "two/tool.cmd");
	check_program("other", "three/other.EXE");
	check_program("other.exe", "three/other.exe");
	check_program("script", NULL);
	check_program("here", NULL);
	check_program("./here", "./here.EXE");
	check_program("two\\tool", "two\\tool.EXE");
	check_program("one\\tool", NULL);
	check_program("", NULL);
	SetEnvironmentVariableW(L"PATHEXT", L".CMD;.EXE");
	check_program("tool", "two/tool.CMD");
	SetEnvironmentVariableW(L"PATHEXT", NULL);
	check_program("tool", "two/tool.EXE");
	SetEnvironmentVariableW(L"PATH", NULL);
	check_program("tool", NULL);
	SetEnvironmentVariableW(L"PATH", old);
	free(old);
	free(path);
}

static void fs_temp_dir__tmp__is_where_it_is_made(void **state)
{
	const struct place *place = *state;
	wchar_t *here = wide_from_utf8(place->temp), old[512];
	struct err err = ERR_INIT;
	char *dir;

	GetEnvironmentVariableW(L"TMP", old, ARRAY_SIZE(old));
	SetEnvironmentVariableW(L"TMP", here);
	dir = fs_temp_dir(&err);
	assert_non_null(dir);
	assert_int_equal(strncmp(dir, place->temp, strlen(place->temp)), 0);
	free(dir);
	SetEnvironmentVariableW(L"TMP", L"C:\\no\\such");
	assert_null(fs_temp_dir(&err));
	check_failed(-1, &err, ERR_FAILED, "C:\\no\\such");
	SetEnvironmentVariableW(L"TMP", old);
	free(here);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(fs__paths_of_400_letters__are_as_others),
		TEST(fs__names_from_the_system__lead_back_to_the_file),
		TEST(fs__open_file__can_be_renamed_and_removed),
		TEST(fs_remove__read_only__goes),
		TEST(fs_write_atomic__file_in_use_for_a_moment__is_waited_for),
		TEST(fs_write_atomic__file_in_use_for_good__fails_with_words),
		TEST(fs_mkdir_all__drives__are_there),
		TEST(fs_lock__held__keeps_others_out),
		TEST(fs_lock__holder_killed__is_free),
		TEST(fs_absolute__path__is_of_a_drive),
		TEST(fs_join__windows_paths__keep_their_kind),
		TEST(fs_dirname__windows_paths__end_at_their_root_before_the_name),
		TEST(fs_find_program__endings__are_tried_in_order),
		TEST(fs_temp_dir__tmp__is_where_it_is_made),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
