#include "platform/setting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <windows.h>

#include <cmocka.h>

#include "util/array.h"

#define KEY     "HKCU\\Software\\stagetrace test"
#define SETTING KEY "\\rustc.exe\\TracingFlags"
#define SUBKEY  L"Software\\stagetrace test\\rustc.exe"

static int remove_key(void **state)
{
	(void)state;
	RegDeleteKeyW(HKEY_CURRENT_USER, SUBKEY L"\\sub");
	RegDeleteKeyW(HKEY_CURRENT_USER, SUBKEY);
	RegDeleteKeyW(HKEY_CURRENT_USER, L"Software\\stagetrace test");
	return 0;
}

static void check_value(const char *expected)
{
	struct strbuf value = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(setting_read(SETTING, &value, &err), 0);
	assert_string_equal(value.buf, expected);
	strbuf_release(&value);
}

static void write_value(const char *value)
{
	struct err err = ERR_INIT;

	assert_int_equal(setting_write(SETTING, value, &err), 0);
}

static bool key_is_there(const wchar_t *path)
{
	HKEY key;

	if (RegOpenKeyExW(HKEY_CURRENT_USER, path, 0, KEY_READ, &key))
		return false;
	RegCloseKey(key);
	return true;
}

static void add_other_value(void)
{
	HKEY key;

	assert_int_equal(RegCreateKeyExW(HKEY_CURRENT_USER, SUBKEY, 0, NULL, 0, KEY_ALL_ACCESS,
					 NULL, &key, NULL),
			 0);
	assert_int_equal(RegSetValueExW(key, L"Other", 0, REG_BINARY, (const BYTE *)"x", 1), 0);
	RegCloseKey(key);
}

static void setting_write__what_was_read__puts_it_back(void **state)
{
	static const char *const values[] = { "dword:0", "dword:4294967295",
					      "sz:", "sz:a b \xc3\xa4:c" };

	(void)state;
	check_value("no key");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		write_value(values[i]);
		check_value(values[i]);
	}
	write_value("none");
	check_value("none");
	assert_true(key_is_there(SUBKEY));
	write_value("dword:1");
	write_value("no key");
	check_value("no key");
	assert_false(key_is_there(SUBKEY));
	write_value("no key");
}

static void setting_write__no_key_but_others_use_it__keeps_theirs(void **state)
{
	HKEY key;

	(void)state;
	add_other_value();
	write_value("dword:1");
	write_value("no key");
	check_value("none");
	assert_int_equal(RegDeleteKeyValueW(HKEY_CURRENT_USER, SUBKEY, L"Other"), 0);
	assert_int_equal(RegCreateKeyExW(HKEY_CURRENT_USER, SUBKEY L"\\sub", 0, NULL, 0, KEY_READ,
					 NULL, &key, NULL),
			 0);
	RegCloseKey(key);
	write_value("no key");
	assert_true(key_is_there(SUBKEY L"\\sub"));
}

static void setting_write__no_such_place_or_value__fails(void **state)
{
	static const struct {
		const char *name, *value;
	} cases[] = {
		{ "C:\\x", "dword:1" },      { "HKLM\\x", "dword:1" },
		{ SETTING "\\", "dword:1" }, { SETTING, "1" },
		{ SETTING, "dword:x" },      { SETTING, "dword:-1" },
		{ SETTING, "dword:1\t2" },   { SETTING, "dword:4294967296" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = ERR_INIT;

		assert_int_equal(setting_write(cases[i].name, cases[i].value, &err), -1);
		assert_non_null(strstr(err.msg, cases[i].name));
		err_clear(&err);
	}
	check_value("no key");
}

static void setting_read__neither_number_nor_text__fails(void **state)
{
	struct strbuf value = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	add_other_value();
	assert_int_equal(setting_read(KEY "\\rustc.exe\\Other", &value, &err), -1);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	err_clear(&err);
	strbuf_release(&value);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, remove_key, remove_key)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(setting_write__what_was_read__puts_it_back),
		TEST(setting_write__no_key_but_others_use_it__keeps_theirs),
		TEST(setting_write__no_such_place_or_value__fails),
		TEST(setting_read__neither_number_nor_text__fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
