#include "platform/child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "platform/clock.h"
#include "platform/fs.h"
#include "util/alloc.h"
#include "util/array.h"
#include "util/text.h"

#define LONG (30 * NS_PER_S)

struct dirs {
	char *temp, *log;
};

static int make_dirs(void **state)
{
	struct dirs *dirs = xmalloc(sizeof(*dirs));
	struct err err = ERR_INIT;

	dirs->temp = fs_temp_dir(&err);
	assert_non_null(dirs->temp);
	dirs->log = fs_join(dirs->temp, "log");
	*state = dirs;
	return 0;
}

static int remove_dirs(void **state)
{
	struct dirs *dirs = *state;
	struct err err = ERR_INIT;
	int rc = fs_remove_tree(dirs->temp, &err);

	free(dirs->temp);
	free(dirs->log);
	free(dirs);
	return rc;
}

static void set_script(struct strvec *argv, const char *script)
{
	strvec_push(argv, "sh");
	strvec_push(argv, "-c");
	strvec_push(argv, script);
}

/* Run a script to its end; the exit code. */
static int64_t run(const char *script, const char *cwd, const struct strvec *env, const char *log)
{
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .cwd = cwd, .env = env, .output = log };
	struct err err = ERR_INIT;
	struct child child;

	set_script(&argv, script);
	assert_int_equal(child_start(&options, &child, &err), 0);
	assert_int_equal(child_release(&child, &options, &err), 0);
	assert_true(child_wait(&child, LONG));
	strvec_release(&argv);
	return child.exit_code;
}

static int capture(const char *script, int64_t timeout_ns, struct strbuf *output,
		   int64_t *exit_code, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	int rc;

	set_script(&argv, script);
	rc = child_capture(&argv, NULL, timeout_ns, output, exit_code, err);
	strvec_release(&argv);
	return rc;
}

static void check_log(const struct dirs *dirs, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fs_read(dirs->log, 1 << 20, &text, &err), 0);
	assert_string_equal(text.buf, expected);
	strbuf_release(&text);
}

static void child_wait__ends_of_all_kinds__give_their_code(void **state)
{
	static const struct {
		const char *script;
		int64_t exit_code;
	} cases[] = {
		{ "exit 0", 0 },
		{ "exit 1", 1 },
		{ "exit 255", 255 },
		{ "kill -KILL $$", 128 + 9 },
		{ "kill -TERM $$", 128 + 15 },
		{ "kill -SEGV $$", 128 + 11 },
		{ "exit 137", 137 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(run(cases[i].script, NULL, NULL, NULL), cases[i].exit_code);
}

static void child_start__output_file__is_appended_to(void **state)
{
	const struct dirs *dirs = *state;

	assert_int_equal(run("echo out; echo err >&2", NULL, NULL, dirs->log), 0);
	assert_int_equal(run("echo more", NULL, NULL, dirs->log), 0);
	check_log(dirs, "out\nerr\nmore\n");
}

static void child_start__output_that_cannot_be_opened__fails(void **state)
{
	const struct dirs *dirs = *state;
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .output = dirs->temp };
	struct err err = ERR_INIT;
	struct child child;

	set_script(&argv, "true");
	assert_int_equal(child_start(&options, &child, &err), -1);
	assert_non_null(strstr(err.msg, dirs->temp));
	err_clear(&err);
	strvec_release(&argv);
}

static void child_start__environment__is_ours_with_changes(void **state)
{
	const struct dirs *dirs = *state;
	struct strvec env = STRVEC_INIT;

	setenv("CHILD_KEPT", "kept", 1);
	setenv("CHILD_CHANGED", "ours", 1);
	strvec_push(&env, "CHILD_CHANGED=theirs = two");
	strvec_push(&env, "CHILD_NEW=");
	assert_int_equal(run("echo \"$CHILD_KEPT|$CHILD_CHANGED|${CHILD_NEW-unset}\"", NULL, &env,
			     dirs->log),
			 0);
	check_log(dirs, "kept|theirs = two|\n");
	assert_string_equal(getenv("CHILD_CHANGED"), "ours");
	assert_null(getenv("CHILD_NEW"));
	unsetenv("CHILD_KEPT");
	unsetenv("CHILD_CHANGED");
	strvec_release(&env);
}

static void child_start__cwd__is_where_it_runs(void **state)
{
	const struct dirs *dirs = *state;
	char *expected = xasprintf("%s\n", dirs->temp);

	assert_int_equal(run("pwd -P", dirs->temp, NULL, dirs->log), 0);
	check_log(dirs, expected);
	free(expected);
}

static void child_start__stdin__is_empty(void **state)
{
	(void)state;
	assert_int_equal(run("read line && exit 1; exit 7", NULL, NULL, NULL), 7);
}

/* perf and shells rely on it: what we ignore or block is not handed on. */
static void child_start__our_signals__are_not_inherited(void **state)
{
	void (*old)(int) = signal(SIGINT, SIG_IGN);
	sigset_t set, old_set;

	(void)state;
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old_set);
	assert_int_equal(run("kill -INT $$; exit 1", NULL, NULL, NULL), 128 + SIGINT);
	assert_int_equal(run("kill -TERM $$; exit 1", NULL, NULL, NULL), 128 + SIGTERM);
	sigprocmask(SIG_SETMASK, &old_set, NULL);
	signal(SIGINT, old);
}

static void child_start__its_group__is_its_own(void **state)
{
	const struct dirs *dirs = *state;

	assert_int_equal(run("read -r _ _ _ _ group _ </proc/$$/stat; test \"$group\" = $$", NULL,
			     NULL, dirs->log),
			 0);
}

static void child_release__before_it__nothing_runs(void **state)
{
	const struct dirs *dirs = *state;
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .output = dirs->log };
	struct err err = ERR_INIT;
	struct child child;

	set_script(&argv, "echo ran");
	assert_int_equal(child_start(&options, &child, &err), 0);
	assert_true(child.pid > 0);
	assert_false(child_wait(&child, 100 * NS_PER_MS));
	assert_false(child_poll(&child));
	check_log(dirs, "");
	assert_int_equal(child_release(&child, &options, &err), 0);
	assert_true(child_wait(&child, LONG));
	assert_true(child_poll(&child));
	check_log(dirs, "ran\n");
	strvec_release(&argv);
}

static void child_release__killed_while_held__is_seen_as_ended(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv };
	struct err err = ERR_INIT;
	struct child child;

	(void)state;
	set_script(&argv, "true");
	assert_int_equal(child_start(&options, &child, &err), 0);
	child_signal(&child, CHILD_KILL);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, 128 + SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(child_release(&child, &options, &err), 0);
	signal(SIGPIPE, SIG_DFL);
	strvec_release(&argv);
}

static void child_release__what_cannot_be_run__says_why(void **state)
{
	const struct dirs *dirs = *state;
	static const struct {
		const char *program;
		const char *cwd; /* below the temporary directory */
		enum err_code code;
		const char *words;
	} cases[] = {
		{ "no-such-program-1b2c", "", ERR_NOT_FOUND, "no-such-program-1b2c" },
		{ "/no/such/program", "", ERR_NOT_FOUND, "/no/such/program" },
		{ "./log", "", ERR_FAILED, "./log" },
		{ "sh", "/missing", ERR_FAILED, "cannot enter" },
		{ "sh", "/log", ERR_FAILED, "cannot enter" },
	};
	struct err err = ERR_INIT;

	assert_int_equal(fs_write_atomic(dirs->log, "", 0, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *cwd = xasprintf("%s%s", dirs->temp, cases[i].cwd);
		struct strvec argv = STRVEC_INIT;
		struct child_options options = { .argv = &argv, .cwd = cwd };
		struct child child;

		strvec_push(&argv, cases[i].program);
		assert_int_equal(child_start(&options, &child, &err), 0);
		assert_int_equal(child_release(&child, &options, &err), -1);
		assert_int_equal(err.code, cases[i].code);
		if (!strstr(err.msg, cases[i].words))
			fail_msg("'%s': %s", cases[i].program, err.msg);
		assert_true(child.ended);
		err_clear(&err);
		strvec_release(&argv);
		free(cwd);
	}
}

/* As one without rights to search a directory of PATH sees it: not "permission denied". */
static void child_release__path_that_denies__is_not_found(void **state)
{
	const struct dirs *dirs = *state;
	char *old = xstrdup(getenv("PATH")), *path = xasprintf("%s:%s", dirs->temp, old);
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv };
	struct err err = ERR_INIT;
	struct child child;

	assert_int_equal(fs_write_atomic(dirs->log, "", 0, &err), 0);
	setenv("PATH", path, 1);
	strvec_push(&argv, "log");
	assert_int_equal(child_start(&options, &child, &err), 0);
	assert_int_equal(child_release(&child, &options, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	assert_string_equal(err.msg, "cannot run 'log': no such program");
	setenv("PATH", old, 1);
	err_clear(&err);
	strvec_release(&argv);
	free(path);
	free(old);
}

static void child_signal__each__ends_it(void **state)
{
	static const struct {
		enum child_signal signal;
		int number;
	} cases[] = {
		{ CHILD_INTERRUPT, SIGINT },
		{ CHILD_TERMINATE, SIGTERM },
		{ CHILD_KILL, SIGKILL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec argv = STRVEC_INIT;
		struct child_options options = { .argv = &argv };
		struct err err = ERR_INIT;
		struct child child;

		strvec_push(&argv, "sleep");
		strvec_push(&argv, "60");
		assert_int_equal(child_start(&options, &child, &err), 0);
		assert_int_equal(child_release(&child, &options, &err), 0);
		child_signal(&child, cases[i].signal);
		assert_true(child_wait(&child, LONG));
		assert_int_equal(child.exit_code, 128 + cases[i].number);
		/* One that has ended is left alone: its pid may be another's. */
		child_signal(&child, CHILD_KILL);
		strvec_release(&argv);
	}
}

/* A process that dies by SIGKILL with a child held; the child's pid comes through the pipe. */
static _Noreturn void die_with_a_held_child(int out)
{
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv };
	struct err err = ERR_INIT;
	struct child child;

	set_script(&argv, "exit 3");
	if (child_start(&options, &child, &err) ||
	    write(out, &child.pid, sizeof(child.pid)) != sizeof(child.pid))
		_exit(1);
	kill(getpid(), SIGKILL);
	_exit(1);
}

static void child_start__we_die_before_release__it_ends_by_itself(void **state)
{
	int fd[2], status;
	int64_t pid = 0;
	pid_t parent;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe(fd), 0);
	parent = fork();
	if (!parent)
		die_with_a_held_child(fd[1]);
	assert_int_equal(read(fd[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(waitpid(parent, &status, 0), parent);
	assert_int_equal(waitpid((pid_t)pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 127);
	close(fd[0]);
	close(fd[1]);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void child_capture__both_streams__are_taken(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	strbuf_adds(&output, "before ");
	assert_int_equal(capture("echo out; echo err >&2; exit 5", LONG, &output, &exit_code, &err),
			 0);
	assert_int_equal(exit_code, 5);
	assert_string_equal(output.buf, "before out\nerr\n");
	strbuf_release(&output);
}

static void child_capture__no_program__is_not_found(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code;

	(void)state;
	strvec_push(&argv, "no-such-program-1b2c");
	assert_int_equal(child_capture(&argv, NULL, LONG, &output, &exit_code, &err), -1);
	assert_int_equal(err.code, ERR_NOT_FOUND);
	err_clear(&err);
	strvec_release(&argv);
	strbuf_release(&output);
}

static void child_capture__more_than_the_limit__is_cut_and_goes_on(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	assert_int_equal(
		capture("head -c 3000001 /dev/zero; exit 4", LONG, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 4);
	assert_int_equal(output.len, 1 << 20);
	strbuf_release(&output);
}

static void child_capture__too_slow__is_killed_with_its_group(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;
	char link[256];
	long pid;

	(void)state;
	assert_int_equal(
		capture("sleep 60 & echo $!; sleep 60", 300 * NS_PER_MS, &output, &exit_code, &err),
		-1);
	assert_non_null(strstr(err.msg, "did not end in time"));
	assert_int_equal(exit_code, 128 + SIGKILL);
	pid = atol(output.buf);
	assert_true(pid > 0);
	strbuf_clear(&output);
	strbuf_addf(&output, "/proc/%ld/exe", pid);
	/* A zombie has no exe; who reaps it is not our business. */
	for (int i = 0; i < 500 && readlink(output.buf, link, sizeof(link)) > 0; i++)
		clock_sleep(10 * NS_PER_MS);
	assert_int_equal(readlink(output.buf, link, sizeof(link)), -1);
	err_clear(&err);
	strbuf_release(&output);
}

static void child_capture__a_daemon_keeps_the_pipe__is_not_waited_for(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	assert_int_equal(capture("sleep 60 & echo $!", LONG, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 0);
	assert_true(atol(output.buf) > 0);
	assert_int_equal(kill((pid_t)atol(output.buf), SIGKILL), 0);
	strbuf_release(&output);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dirs, remove_dirs)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(child_wait__ends_of_all_kinds__give_their_code),
		TEST(child_start__output_file__is_appended_to),
		TEST(child_start__output_that_cannot_be_opened__fails),
		TEST(child_start__environment__is_ours_with_changes),
		TEST(child_start__cwd__is_where_it_runs),
		TEST(child_start__stdin__is_empty),
		TEST(child_start__our_signals__are_not_inherited),
		TEST(child_start__its_group__is_its_own),
		TEST(child_release__before_it__nothing_runs),
		TEST(child_release__killed_while_held__is_seen_as_ended),
		TEST(child_release__what_cannot_be_run__says_why),
		TEST(child_release__path_that_denies__is_not_found),
		TEST(child_signal__each__ends_it),
		TEST(child_start__we_die_before_release__it_ends_by_itself),
		TEST(child_capture__both_streams__are_taken),
		TEST(child_capture__no_program__is_not_found),
		TEST(child_capture__more_than_the_limit__is_cut_and_goes_on),
		TEST(child_capture__too_slow__is_killed_with_its_group),
		TEST(child_capture__a_daemon_keeps_the_pipe__is_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
