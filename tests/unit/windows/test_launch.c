#include "platform/launch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "platform/program.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

static void launch__a_program__gets_arguments_and_variables_and_goes_its_own_way(void **state)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "said"), *cmd = env_get("ComSpec");
	int64_t start = clock_now();

	(void)state;
	strvec_push(&argv, cmd);
	strvec_push(&argv, "/c");
	strvec_pushf(&argv, "echo %%LAUNCHED%%>%s", path);
	/* It is the same variable in upper and lower case. */
	strvec_push(&env, "Launched=a b;c=d");
	assert_int_equal(launch(&argv, &env, &err), 0);
	assert_true(clock_now() - start < 10 * NS_PER_S);
	for (int i = 0; i < 1000 && fs_size(path) <= 0; i++)
		clock_sleep(10 * NS_PER_MS);
	assert_int_equal(fs_read(path, 1000, &text, &err), 0);
	assert_non_null(strstr(text.buf, "a b;c=d"));
	assert_null(env_get("LAUNCHED"));
	for (int i = 0; i < 100 && fs_remove_tree(dir, &err); i++) {
		err_clear(&err);
		clock_sleep(10 * NS_PER_MS);
	}
	assert_false(fs_exists(dir));
	strbuf_release(&text);
	strvec_release(&argv);
	strvec_release(&env);
	free(cmd);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			launch__a_program__gets_arguments_and_variables_and_goes_its_own_way),
		cmocka_unit_test(launch__no_program__fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
