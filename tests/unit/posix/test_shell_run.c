/*
 * What shell_add_run() prints, run by a real shell.
 */
#include "unit/fs_place.h"
#include "platform/child.h"
#include "platform/shell.h"
#include "util/text.h"

/* The output of the shell in the directory of the test, which has no other files than the test has put there. */
static void run(const char *dir, const char *pair, const char *program, const char *argument,
		struct strbuf *output)
{
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT, command = STRVEC_INIT;
	struct strbuf script = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code;

	strvec_push(&argv, program);
	strvec_push(&argv, argument);
	strvec_push(&env, "PLAIN=1");
	strvec_push(&env, pair);
	shell_add_run(&script, dir, &env, &argv, NULL);
	strvec_push(&command, "sh");
	strvec_push(&command, "-c");
	strvec_push(&command, script.buf);
	assert_int_equal(child_capture(&command, ".", 20 * NS_PER_S, output, &exit_code, &err), 0);
	strvec_release(&argv);
	strvec_release(&env);
	strvec_release(&command);
	strbuf_release(&script);
}

static void shell_add_run__names_of_variables__run_nothing(void **state)
{
	static const char *const pairs[] = {
		"A;touch made;B=v",
		"$(touch made)=v",
		"A\ntouch made\nB=v",
		"`touch made`=v",
		"a-b=v",
		"1=v",
		"A'B=v",
		"A>made=v",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct strbuf output = STRBUF_INIT;

		run(".", pairs[i], "env", "-0", &output);
		assert_false(fs_exists("made"));
		/* Strings that end with a NUL. */
		if (!memmem(output.buf, output.len, pairs[i], strlen(pairs[i]) + 1) ||
		    !memmem(output.buf, output.len, "PLAIN=1", 8))
			fail_msg("no variable %s: %s", pairs[i], output.buf);
		strbuf_release(&output);
	}
}

static void shell_add_run__program_with_equals_sign__is_no_variable(void **state)
{
	struct strbuf output = STRBUF_INIT;

	(void)state;
	run(".", "A=1", "B=2", "env", &output);
	assert_null(strstr(output.buf, "PLAIN=1"));
	strbuf_release(&output);
}

static void shell_add_run__directory_like_an_option__is_a_directory(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir_new("-", &err), 0);
	run("-", "A=1", "pwd", "-P", &output);
	assert_non_null(strstr(output.buf, "/-\n"));
	strbuf_release(&output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(shell_add_run__names_of_variables__run_nothing,
						enter, leave),
		cmocka_unit_test_setup_teardown(
			shell_add_run__program_with_equals_sign__is_no_variable, enter, leave),
		cmocka_unit_test_setup_teardown(
			shell_add_run__directory_like_an_option__is_a_directory, enter, leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
