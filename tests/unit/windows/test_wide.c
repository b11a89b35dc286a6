#include "platform/windows/wide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include <cmocka.h>

#include "platform/windows/win32_error.h"
#include "util/array.h"

static void wide__text__goes_there_and_back(void **state)
{
	static const struct {
		const char *utf8;
		const wchar_t *wide;
	} cases[] = {
		{ "", L"" },
		{ "abc", L"abc" },
		{ "\xc3\xa4\xe2\x82\xac", L"\xe4\x20ac" },
		{ "\xf0\x9f\x98\x80", L"\xd83d\xde00" },
		{ "\xf4\x8f\xbf\xbf", L"\xdbff\xdfff" },
		{ "\xf0\x90\x80\x80", L"\xd800\xdc00" },
		{ "\xef\xbf\xbf\x7f", L"\xffff\x7f" },
		/* Lone surrogates, and a pair the wrong way round. */
		{ "a\xed\xa0\x80z", L"a\xd800z" },
		{ "\xed\xbf\xbf", L"\xdfff" },
		{ "\xed\xb0\x80\xed\xa0\x80", L"\xdc00\xd800" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		wchar_t *wide = wide_from_utf8(cases[i].utf8);
		char *utf8 = wide_to_utf8(cases[i].wide);

		if (wcscmp(wide, cases[i].wide) || strcmp(utf8, cases[i].utf8))
			fail_msg("case %u", (unsigned)i);
		free(wide);
		free(utf8);
	}
}

static void wide_from_utf8__bad_bytes__are_replaced(void **state)
{
	static const struct {
		const char *utf8;
		const wchar_t *wide;
	} cases[] = {
		{ "a\xff"
		  "b",
		  L"a\xfffd"
		  L"b" },
		{ "\xc3", L"\xfffd" },
		{ "\xed\xa0", L"\xfffd\xfffd" },
		{ "\xc0\x80", L"\xfffd\xfffd" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		wchar_t *wide = wide_from_utf8(cases[i].utf8);

		if (wcscmp(wide, cases[i].wide))
			fail_msg("case %u", (unsigned)i);
		free(wide);
	}
}

static void check_path(wchar_t *path, const wchar_t *expected)
{
	if (wcscmp(path, expected)) {
		char *text = wide_to_utf8(path);

		fail_msg("it is '%s'", text);
	}
	free(path);
}

static void wide_path__short__has_the_systems_separators(void **state)
{
	(void)state;
	check_path(wide_path("a/b\\c"), L"a\\b\\c");
	check_path(wide_path("C:/x"), L"C:\\x");
	check_path(wide_path(""), L"");
	check_path(wide_path_any_depth("C:/x/../y"), L"\\\\?\\C:\\y");
	check_path(wide_path_any_depth("//server/share/x"), L"\\\\?\\UNC\\server\\share\\x");
	check_path(wide_path_any_depth("\\\\?\\C:\\x"), L"\\\\?\\C:\\x");
}

static void wide_path__long__gets_the_prefix(void **state)
{
	char path[400];
	wchar_t *wide;

	(void)state;
	memset(path, 'x', sizeof(path));
	memcpy(path, "C:/a/../", 8);
	path[sizeof(path) - 1] = '\0';
	wide = wide_path(path);
	assert_int_equal(wcsncmp(wide, L"\\\\?\\C:\\xxx", 10), 0);
	assert_int_equal(wcslen(wide), sizeof(path) - 1 - 5 + 4);
	free(wide);
	/* Relative: one that would be too long from here. */
	wide = wide_path(path + 160);
	assert_int_equal(wcsncmp(wide, L"\\\\?\\", 4), 0);
	free(wide);
}

static void wide_getenv__variables__are_found(void **state)
{
	char *value;

	(void)state;
	assert_true(SetEnvironmentVariableW(L"WIDE_TEST", L"\xe4 \x20ac"));
	value = wide_getenv("WIDE_TEST");
	assert_string_equal(value, "\xc3\xa4 \xe2\x82\xac");
	free(value);
	assert_true(SetEnvironmentVariableW(L"WIDE_TEST", NULL));
	assert_null(wide_getenv("WIDE_TEST"));
}

static void path_root_length__all_shapes__are_recognized(void **state)
{
	static const struct {
		const char *path;
		size_t length;
	} cases[] = {
		{ "", 0 },
		{ "a\\b", 0 },
		{ "\\a", 1 },
		{ "/", 1 },
		{ "//", 2 },
		{ "C:", 2 },
		{ "C:a", 2 },
		{ "c:/a", 3 },
		{ "C:\\\\a", 4 },
		{ "1:\\a", 0 },
		{ "\\\\server\\share\\a", 15 },
		{ "\\\\server\\share", 14 },
		{ "\\\\server", 8 },
		{ "\\\\?\\C:\\a", 7 },
		{ "\\\\?\\UNC\\server\\share\\a", 21 },
		{ "\\\\.\\pipe", 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (path_root_length(cases[i].path) != cases[i].length)
			fail_msg("'%s': %u", cases[i].path,
				 (unsigned)path_root_length(cases[i].path));
	}
}

static void path_is_program__endings__decide(void **state)
{
	(void)state;
	assert_true(path_is_program("a.exe") && path_is_program("A.EXE"));
	assert_true(path_is_program("a.b.cmd") && path_is_batch("a.b.cmd"));
	assert_true(path_is_batch("x\\a.Bat") && !path_is_batch("a.com"));
	assert_false(path_is_program("a") || path_is_program(".exe") || path_is_program("a.py"));
}

static void err_set_win32__code__is_in_words(void **state)
{
	static const struct {
		unsigned long number;
		enum err_code code;
	} cases[] = {
		{ ERROR_FILE_NOT_FOUND, ERR_FAILED },     { ERROR_DISK_FULL, ERR_NO_SPACE },
		{ ERROR_HANDLE_DISK_FULL, ERR_NO_SPACE }, { 1295, ERR_NO_SPACE },
		{ ERROR_ACCESS_DENIED, ERR_FAILED },
	};
	struct err err = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(err_set_win32(&err, cases[i].number, "cannot read '%s'", "x"), -1);
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(strncmp(err.msg, "cannot read 'x': ", 17), 0);
		assert_null(strpbrk(err.msg, "\r\n"));
	}
	assert_non_null(strstr(err.msg, " (error 5)"));
	assert_null(strstr(err.msg, ". (error"));
	/* No words for it. */
	err_set_win32(&err, 0x3fffffff, "it failed");
	assert_string_equal(err.msg, "it failed: error 1073741823");
	err_clear(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wide__text__goes_there_and_back),
		cmocka_unit_test(wide_from_utf8__bad_bytes__are_replaced),
		cmocka_unit_test(wide_path__short__has_the_systems_separators),
		cmocka_unit_test(wide_path__long__gets_the_prefix),
		cmocka_unit_test(wide_getenv__variables__are_found),
		cmocka_unit_test(path_root_length__all_shapes__are_recognized),
		cmocka_unit_test(path_is_program__endings__decide),
		cmocka_unit_test(err_set_win32__code__is_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
