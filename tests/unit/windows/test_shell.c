#include "platform/shell.h"

#include "platform/child.h"
#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "unit/windows/again.h"
#include "util/strbuf.h"
#include "util/text.h"

/* The variables of these names, a line each. */
static int write_all(int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		char *value = wide_getenv(argv[i]);

		printf("%s=%s\n", argv[i], value ? value : "unset");
		free(value);
	}
	return 0;
}

static void shell_add_word__words__are_quoted_where_cmd_needs_it(void **state)
{
	static const struct {
		const char *word, *quoted;
	} cases[] = {
		{ "C:\\runs\\a-1.zip", "C:\\runs\\a-1.zip" },
		{ "C:\\my runs\\", "\"C:\\my runs\\\\\"" },
		{ "", "\"\"" },
		{ "a&b", "\"a&b\"" },
		{ "say \"a\\\"", "^\"say \\^\"a\\\\\\^\"^\"" },
		{ "x=\"a & b\"|(%PATH%)<>^!", "^\"x=\\^\"a ^& b\\^\"^|^(^%PATH^%^)^<^>^^^!^\"" },
		{ "a | b", "\"a | b\"" },
		{ "a\nb & c\r\nd", "\"a b & c  d\"" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strbuf sb = STRBUF_INIT;

		shell_add_word(&sb, cases[i].word);
		assert_string_equal(sb.buf, cases[i].quoted);
		strbuf_release(&sb);
	}
}

static void shell_add_run__what_is_printed__does_it_in_cmd(void **state)
{
	struct strbuf script = STRBUF_INIT, output = STRBUF_INIT, text = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT, command = STRVEC_INIT;
	struct err err = ERR_INIT;
	char *temp = fs_temp_dir(&err), *dir = xasprintf("%s/a & b (c)/d", temp),
	     *log = fs_join(dir, "the log"), *path = fs_join(temp, "script.cmd"),
	     *copy = xasprintf("%s/the & copy", dir);
	int64_t exit_code = -1;

	(void)state;
	again_push(&argv, "all");
	strvec_push(&argv, "STAGETRACE_ONE");
	strvec_push(&argv, "two & three > \\");
	strvec_push(&argv, "say \"a\" & echo > (b) | \"c");
	strvec_push(&argv, "STAGETRACE_NONE");
	strvec_push(&env, "STAGETRACE_TWO=a \"b\" & c | d");
	strvec_push(&argv, "STAGETRACE_TWO");
	strvec_push(&env, "STAGETRACE_ONE=deep & (blue)");
	strvec_push(&env, "STAGETRACE_LINES=one\nset STAGETRACE_NONE=two");
	strbuf_adds(&script, "@echo off\n");
	shell_add_comment(&script, "makes > no & file");
	shell_add_mkdir(&script, dir);
	shell_add_run(&script, dir, &env, &argv, log);
	shell_add_run(&script, dir, &env, &argv, log);
	shell_add_copy(&script, log, copy);
	strbuf_adds(&script, "echo [%STAGETRACE_ONE%] %CD%\n");
	assert_int_equal(fs_write_atomic(path, script.buf, script.len, &err), 0);
	strvec_push(&command, path);
	assert_int_equal(child_capture(&command, temp, 30 * NS_PER_S, &output, &exit_code, &err),
			 0);
	assert_int_equal(exit_code, 0);
	assert_int_equal(fs_size(copy), fs_size(log));
	assert_int_equal(fs_read(log, 1 << 16, &text, &err), 0);
	assert_string_equal(text.buf, "STAGETRACE_ONE=deep & (blue)\n"
				      "two & three > \\=unset\n"
				      "say \"a\" & echo > (b) | \"c=unset\n"
				      "STAGETRACE_NONE=unset\n"
				      "STAGETRACE_TWO=a \"b\" & c | d\n"
				      "STAGETRACE_ONE=deep & (blue)\n"
				      "two & three > \\=unset\n"
				      "say \"a\" & echo > (b) | \"c=unset\n"
				      "STAGETRACE_NONE=unset\n"
				      "STAGETRACE_TWO=a \"b\" & c | d\n");
	/* The shell's own are as they were. */
	assert_non_null(strstr(output.buf, "[] "));
	assert_null(strstr(output.buf, "a & b"));
	assert_int_equal(fs_remove_tree(temp, &err), 0);
	strbuf_release(&script);
	strbuf_release(&output);
	strbuf_release(&text);
	strvec_release(&argv);
	strvec_release(&env);
	strvec_release(&command);
	free(path);
	free(copy);
	free(log);
	free(dir);
	free(temp);
}

int main(int argc, char **argv)
{
	static const struct again children[] = { { "all", write_all } };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shell_add_word__words__are_quoted_where_cmd_needs_it),
		cmocka_unit_test(shell_add_run__what_is_printed__does_it_in_cmd),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
