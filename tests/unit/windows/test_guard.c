#include "build_fixture.h"

#include "platform/guard.h"
#include "platform/setting.h"

#define KEY     "HKCU\\Software\\stagetrace guard test"
#define SETTING KEY "\\A setting"
#define OTHER   KEY "\\other\\Flags"

static void write_setting(const char *name, const char *value)
{
	struct err err = ERR_INIT;

	assert_int_equal(setting_write(name, value, &err), 0);
}

static bool has_value(const char *name, const char *expected)
{
	struct strbuf value = STRBUF_INIT;
	struct err err = ERR_INIT;
	bool same;

	assert_int_equal(setting_read(name, &value, &err), 0);
	same = !strcmp(value.buf, expected);
	strbuf_release(&value);
	return same;
}

static bool wait_value(const char *name, const char *expected)
{
	int64_t end = clock_now() + LONG;

	while (!has_value(name, expected)) {
		if (clock_now() > end)
			return false;
		clock_sleep(10 * NS_PER_MS);
	}
	return true;
}

static int change_settings(void **state)
{
	(void)state;
	write_setting(SETTING, "sz:changed");
	write_setting(OTHER, "dword:1");
	return 0;
}

static int remove_settings(void **state)
{
	(void)state;
	write_setting(OTHER, "no key");
	write_setting(SETTING, "no key");
	return 0;
}

/* What stagetrace does up to the moment when it is killed. */
static int be_killed(int argc, char **argv)
{
	struct child build, recorder;
	struct err err = ERR_INIT;
	struct guard *guard;

	if (guard_start(argv[0], &guard, &err))
		return 1;
	guard_add_undo(guard, SETTING, "sz:as it\twas");
	guard_add_undo(guard, OTHER, "no key");
	build = start_marked("stay", NULL, argv[0]);
	if (argc > 1) {
		recorder = start_marked("stay", argv[1], argv[0]);
		guard_set_profiler(guard, recorder.pid);
	}
	while (count_marked(argv[0]) != (argc > 1 ? 2 : 1) || child_poll(&build))
		clock_sleep(10 * NS_PER_MS);
	TerminateProcess(GetCurrentProcess(), 77);
	return 1;
}

/* Takes the place of stagetrace: its own pipe, and a guard that must not hold it. */
static int hold_nothing(int argc, char **argv)
{
	SECURITY_ATTRIBUTES inherited = { sizeof(inherited), NULL, TRUE };
	struct err err = ERR_INIT;
	struct guard *guard;
	HANDLE in, out;
	DWORD got;
	char byte;

	(void)argc;
	if (!CreatePipe(&in, &out, &inherited, 0) || guard_start(argv[0], &guard, &err))
		return 1;
	CloseHandle(out);
	if (ReadFile(in, &byte, 1, &got, NULL) || GetLastError() != ERROR_BROKEN_PIPE)
		return 2;
	guard_dismiss(guard);
	return 0;
}

static void die(const char *cookie, const char *recorder_ms)
{
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv };
	struct err err = ERR_INIT;
	struct child child;

	again_push(&argv, "be-killed");
	strvec_push(&argv, cookie);
	if (recorder_ms)
		strvec_push(&argv, recorder_ms);
	assert_int_equal(child_start(&options, &child, &err), 0);
	assert_int_equal(child_release(&child, &options, &err), 0);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, 77);
	strvec_release(&argv);
}

static void guard_start__we_are_killed__the_build_ends_and_settings_go_back(void **state)
{
	char *cookie = make_cookie();

	(void)state;
	die(cookie, NULL);
	assert_true(wait_count(cookie, 0));
	assert_true(wait_value(SETTING, "sz:as it\twas"));
	assert_true(wait_value(OTHER, "no key"));
	free(cookie);
}

/* One that ends by itself once asked, which no process under Wine hears: it takes its time. */
static void guard_start__we_are_killed__the_recorder_has_time_after_the_build(void **state)
{
	char *cookie = make_cookie();

	(void)state;
	die(cookie, "8000");
	assert_true(wait_count(cookie, 1));
	assert_true(has_value(SETTING, "sz:changed"));
	assert_true(wait_count(cookie, 0));
	assert_true(wait_value(SETTING, "sz:as it\twas"));
	free(cookie);
}

static void guard_dismiss__all_went_well__does_nothing(void **state)
{
	char *cookie = make_cookie();
	struct child child = start_marked("stay", NULL, cookie);
	struct err err = ERR_INIT;
	struct guard *guard;

	(void)state;
	assert_int_equal(guard_start(cookie, &guard, &err), 0);
	guard_add_undo(guard, SETTING, "sz:before");
	guard_set_profiler(guard, child.pid);
	guard_dismiss(guard);
	guard_dismiss(NULL);
	clock_sleep(200 * NS_PER_MS);
	assert_false(child_poll(&child));
	assert_true(has_value(SETTING, "sz:changed"));
	child_signal(&child, CHILD_KILL);
	assert_true(child_wait(&child, LONG));
	free(cookie);
}

static void guard_leave_undo__we_go_on__settings_go_back_alone(void **state)
{
	char *cookie = make_cookie();
	struct child child = start_marked("stay", NULL, cookie);
	struct err err = ERR_INIT;
	struct guard *guard;

	(void)state;
	assert_int_equal(guard_start(cookie, &guard, &err), 0);
	guard_add_undo(guard, SETTING, "sz:before");
	guard_leave_undo(guard);
	guard_leave_undo(NULL);
	assert_true(wait_value(SETTING, "sz:before"));
	clock_sleep(200 * NS_PER_MS);
	assert_false(child_poll(&child));
	child_signal(&child, CHILD_KILL);
	assert_true(child_wait(&child, LONG));
	free(cookie);
}

static void guard_start__our_handles__are_not_held(void **state)
{
	char *cookie = make_cookie();
	struct child child = start_marked("hold-nothing", cookie, NULL);

	(void)state;
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, 0);
	free(cookie);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, change_settings, remove_settings)

int main(int argc, char **argv)
{
	static const struct again children[] = {
		{ "stay", stay },
		{ "be-killed", be_killed },
		{ "hold-nothing", hold_nothing },
	};
	const struct CMUnitTest tests[] = {
		TEST(guard_start__we_are_killed__the_build_ends_and_settings_go_back),
		TEST(guard_start__we_are_killed__the_recorder_has_time_after_the_build),
		TEST(guard_dismiss__all_went_well__does_nothing),
		TEST(guard_leave_undo__we_go_on__settings_go_back_alone),
		TEST(guard_start__our_handles__are_not_held),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
