#include "platform/launch.h"

#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "unit/windows/again.h"
#include "util/text.h"

/* It says nothing until it is let: a launch() that waits for it would wait in vain. */
static int say(int argc, char **argv)
{
	char *go = xasprintf("%s.go", argv[0]), *new = xasprintf("%s.new", argv[0]);
	/* It is the same variable in upper and lower case. */
	char *said = xasprintf("%s %s", wide_getenv("LAUNCHED"), argv[1]);
	struct err err = ERR_INIT;

	for (int i = 0; i < 1000 && !fs_exists(go); i++)
		clock_sleep(10 * NS_PER_MS);
	return argc != 2 || !fs_exists(go) || fs_write_atomic(new, said, strlen(said), &err) ||
	       rename(new, argv[0]);
}

static void launch__a_program__gets_arguments_and_variables_and_goes_its_own_way(void **state)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "said"), *go = fs_join(dir, "said.go");

	(void)state;
	again_push(&argv, "say");
	strvec_push(&argv, path);
	strvec_push(&argv, "it's \"two words\"");
	strvec_push(&env, "Launched=a b;c=d");
	assert_int_equal(launch(&argv, &env, &err), 0);
	assert_int_equal(fs_write_atomic(go, "", 0, &err), 0);
	for (int i = 0; i < 1000 && !fs_exists(path); i++)
		clock_sleep(10 * NS_PER_MS);
	assert_int_equal(fs_read(path, 1000, &text, &err), 0);
	assert_string_equal(text.buf, "a b;c=d it's \"two words\"");
	assert_null(wide_getenv("LAUNCHED"));
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	strbuf_release(&text);
	strvec_release(&argv);
	strvec_release(&env);
	free(go);
	free(path);
	free(dir);
}

static void launch__no_program__fails(void **state)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	strvec_push(&argv, "C:\\nowhere\\wpa.exe");
	assert_int_equal(launch(&argv, &env, &err), -1);
	assert_non_null(strstr(err.msg, "cannot run 'C:\\nowhere\\wpa.exe': "));
	err_clear(&err);
	strvec_release(&argv);
}

int main(int argc, char **argv)
{
	static const struct again children[] = { { "say", say } };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			launch__a_program__gets_arguments_and_variables_and_goes_its_own_way),
		cmocka_unit_test(launch__no_program__fails),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
