#include "unit/fs_place.h"
#include "platform/setting.h"

static void setting_write__existing_file__is_overwritten(void **state)
{
	static const char setting[] = "setting", none[] = "none";
	struct strbuf value = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	put(setting, "a longer text\n");
	strbuf_adds(&value, "was: ");
	assert_int_equal(setting_read(setting, &value, &err), 0);
	assert_string_equal(value.buf, "was: a longer text");
	assert_int_equal(setting_write(setting, "127", &err), 0);
	strbuf_clear(&value);
	assert_int_equal(setting_read(setting, &value, &err), 0);
	assert_string_equal(value.buf, "127");
	assert_int_equal(setting_write(none, "127", &err), -1);
	assert_non_null(strstr(err.msg, none));
	assert_false(fs_exists(none));
	err_clear(&err);
	strbuf_release(&value);
}

#define FLAGS "HKLM\\SOFTWARE\\Image File Execution Options\\rustc.exe\\TracingFlags"

static void setting_write__stand_in_for_the_registry__is_put_back(void **state)
{
	struct strbuf value = STRBUF_INIT;
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(setting_read(FLAGS, &value, &err), -1);
	err_clear(&err);
	setenv("STAGETRACE_REGISTRY", ".", 1);
	assert_int_equal(setting_read(FLAGS, &value, &err), 0);
	assert_string_equal(value.buf, "none");
	assert_int_equal(setting_write(FLAGS, "dword:1", &err), 0);
	strbuf_clear(&value);
	assert_int_equal(setting_read(FLAGS, &value, &err), 0);
	assert_string_equal(value.buf, "dword:1");
	assert_int_equal(setting_write(FLAGS, "none", &err), 0);
	assert_int_equal(setting_write(FLAGS, "none", &err), 0);
	assert_int_equal(fs_list(".", &names, &err), 0);
	for (size_t i = 0; i < names.nr; i++)
		assert_null(strstr(names.v[i], "TracingFlags"));
	unsetenv("STAGETRACE_REGISTRY");
	strvec_release(&names);
	strbuf_release(&value);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(setting_write__stand_in_for_the_registry__is_put_back),
		TEST(setting_write__existing_file__is_overwritten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
