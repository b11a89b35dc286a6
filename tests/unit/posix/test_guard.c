#include "platform/guard.h"

#include <signal.h>
#include <sys/wait.h>

#include "build_fixture.h"

/* A recorder: on an interrupt it notes whether the build is gone, and ends. */
#define RECORDER \
	"trap '{ test -e /proc/$(cat build)/exe && echo early || echo late; } >done.tmp; " \
	"mv done.tmp done; exit 0' INT; " \
	"trap '' TERM; touch recorder; while :; do sleep 0.05; done"

#define BUILD "echo $$ >build.tmp; mv build.tmp build; "

static void write_file(const struct build *build, const char *name, const char *text)
{
	char *path = fs_join(build->temp, name);
	struct err err = ERR_INIT;

	assert_int_equal(fs_write_atomic(path, text, strlen(text), &err), 0);
	free(path);
}

static void check_file(const struct build *build, const char *name, const char *expected)
{
	char *path = fs_join(build->temp, name);
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fs_read(path, 4096, &text, &err), 0);
	assert_string_equal(text.buf, expected);
	strbuf_release(&text);
	free(path);
}

/* Wait until a file below the fixture's directory reads as expected. */
static bool wait_text(const struct build *build, const char *name, const char *expected)
{
	char *path = fs_join(build->temp, name);
	int64_t end = clock_now() + LONG;
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool same;

	do {
		strbuf_clear(&text);
		if (fs_read(path, 4096, &text, &err))
			err_clear(&err);
		same = !strcmp(text.buf, expected);
		clock_sleep(10 * NS_PER_MS);
	} while (!same && clock_now() < end);
	strbuf_release(&text);
	free(path);
	return same;
}

/* What stagetrace does up to the moment when it is killed. */
static _Noreturn void run_and_die(const struct build *build, const char *script, bool recorder)
{
	char *setting = fs_join(build->temp, "a setting"), *other = fs_join(build->temp, "other");
	struct err err = ERR_INIT;
	struct guard *guard;

	if (guard_start(build->cookie, &guard, &err))
		_exit(1);
	guard_add_undo(guard, setting, "4\t4 1 7");
	guard_add_undo(guard, other, "127");
	build_start(build, script);
	if (!build_wait_file(build, "build"))
		_exit(1);
	if (recorder) {
		struct child child = build_start(build, RECORDER);

		guard_set_profiler(guard, child.pid);
		if (!build_wait_file(build, "recorder"))
			_exit(1);
	}
	kill(getpid(), SIGKILL);
	_exit(1);
}

static void die(const struct build *build, const char *script, bool recorder)
{
	int status;
	pid_t pid;

	write_file(build, "a setting", "changed, and longer than before\n");
	write_file(build, "other", "192\n");
	pid = fork();
	if (!pid)
		run_and_die(build, script, recorder);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void guard_start__we_are_killed__the_build_ends_and_settings_go_back(void **state)
{
	const struct build *build = *state;

	die(build, BUILD "exec sleep 100", false);
	assert_true(build_wait_count(build, 0));
	assert_true(wait_text(build, "a setting", "4\t4 1 7"));
	assert_true(wait_text(build, "other", "127"));
}

static void guard_start__we_are_killed__the_recorder_is_interrupted_after_the_build(void **state)
{
	const struct build *build = *state;

	die(build, BUILD "exec sleep 100", true);
	assert_true(build_wait_file(build, "done"));
	check_file(build, "done", "late\n");
	assert_true(build_wait_count(build, 0));
	assert_true(wait_text(build, "other", "127"));
}

static void guard_start__stubborn_build__is_killed_before_the_recorder_hears(void **state)
{
	const struct build *build = *state;

	die(build, "trap '' TERM INT; " BUILD "while :; do sleep 0.05; done", true);
	assert_true(build_wait_file(build, "done"));
	check_file(build, "done", "late\n");
	assert_true(build_wait_count(build, 0));
	assert_true(wait_text(build, "a setting", "4\t4 1 7"));
}

static void guard_dismiss__all_went_well__does_nothing(void **state)
{
	const struct build *build = *state;
	char *setting = fs_join(build->temp, "a setting");
	struct child child = build_start(build, "exec sleep 100");
	struct err err = ERR_INIT;
	struct guard *guard;

	write_file(build, "a setting", "changed\n");
	assert_int_equal(guard_start(build->cookie, &guard, &err), 0);
	guard_add_undo(guard, setting, "127");
	guard_set_profiler(guard, child.pid);
	guard_dismiss(guard);
	guard_dismiss(NULL);
	clock_sleep(200 * NS_PER_MS);
	assert_false(child_poll(&child));
	check_file(build, "a setting", "changed\n");
	child_signal(&child, CHILD_KILL);
	assert_true(child_wait(&child, LONG));
	free(setting);
}

/* A shell's pipe behind stagetrace waits for all who hold it: the guard may not be one of them. */
static void guard_start__our_descriptors__are_not_held(void **state)
{
	const struct build *build = *state;
	struct err err = ERR_INIT;
	struct guard *guard;
	int fd[2];
	char byte;

	assert_int_equal(pipe(fd), 0);
	assert_int_equal(guard_start(build->cookie, &guard, &err), 0);
	close(fd[1]);
	assert_int_equal(read(fd[0], &byte, 1), 0);
	close(fd[0]);
	guard_dismiss(guard);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, build_setup, build_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(guard_start__we_are_killed__the_build_ends_and_settings_go_back),
		TEST(guard_start__we_are_killed__the_recorder_is_interrupted_after_the_build),
		TEST(guard_start__stubborn_build__is_killed_before_the_recorder_hears),
		TEST(guard_dismiss__all_went_well__does_nothing),
		TEST(guard_start__our_descriptors__are_not_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
