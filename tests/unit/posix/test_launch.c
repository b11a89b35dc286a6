#include "platform/launch.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/text.h"

/* Waits for the file to be written, as whoever writes it is nobody's child. */
static char *read_when_there(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	for (int i = 0; i < 1000 && !fs_exists(path); i++)
		clock_sleep(5 * NS_PER_MS);
	assert_int_equal(fs_read(path, 1000, &text, &err), 0);
	return strbuf_detach(&text);
}

static void launch__a_program__gets_arguments_and_variables_and_goes_its_own_way(void **state)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *dir = fs_temp_dir(&err), *path = fs_join(dir, "said"), *go, *text;

	(void)state;
	strvec_push(&argv, "/bin/sh");
	strvec_push(&argv, "-c");
	/* It says nothing until it is let: a launch() that waits for it would wait in vain. */
	strvec_push(&argv, "i=0; until [ -e \"$1.go\" ]; do "
			   "i=$((i + 1)); [ $i -lt 500 ] || exit; sleep 0.02; done; "
			   "echo \"$LAUNCHED $HOME_OF_IT $(cat | wc -c) $2\" >\"$1.new\"; "
			   "mv \"$1.new\" \"$1\"");
	strvec_push(&argv, "sh");
	strvec_push(&argv, path);
	strvec_push(&argv, "it's \"two words\"");
	strvec_push(&env, "LAUNCHED=a b;c=d");
	strvec_push(&env, "HOME_OF_IT=");
	assert_int_equal(launch(&argv, &env, &err), 0);
	go = xasprintf("%s.go", path);
	assert_int_equal(fs_write_atomic(go, "", 0, &err), 0);
	text = read_when_there(path);
	assert_string_equal(text, "a b;c=d  0 it's \"two words\"\n");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	assert_null(getenv("LAUNCHED"));
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	strvec_release(&argv);
	strvec_release(&env);
	free(text);
	free(go);
	free(path);
	free(dir);
}

static void launch__no_program__fails(void **state)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	strvec_push(&argv, "/nowhere/wpa");
	assert_int_equal(launch(&argv, &env, &err), -1);
	assert_non_null(strstr(err.msg, "cannot run '/nowhere/wpa': No such file"));
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
