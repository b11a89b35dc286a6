#include "platform/child.h"

#include "platform/clock.h"
#include "platform/fs.h"
#include "platform/program.h"
#include "unit/windows/again.h"
#include "util/text.h"

#define LONG (30 * NS_PER_S)

static const char *const hard[] = {
	"",
	" ",
	"a b",
	"tab\there",
	"\"",
	"say \"hi\" now",
	"back\\slash",
	"ends in \\",
	"a\\\\\"b",
	"%PATH% ^& | <x> !y!",
	"*.c",
	"\xf0\x9f\x98\x80 \xc3\xa4\xe2\x82\xac",
	"--a=\"b c\"\\",
};

struct place {
	char *dir, *log;
};

static int enter(void **state)
{
	struct place *place = xmalloc(sizeof(*place));
	struct err err = ERR_INIT;
	char *temp = fs_temp_dir(&err);

	assert_non_null(temp);
	/* As people name theirs. */
	place->dir = fs_join(temp, "\xc3\xa4 b");
	assert_int_equal(fs_mkdir(place->dir, &err), 0);
	place->log = fs_join(place->dir, "log");
	free(temp);
	*state = place;
	return 0;
}

static int leave(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	char *temp = fs_dirname(place->dir);
	int rc = fs_remove_tree(temp, &err);

	free(temp);
	free(place->dir);
	free(place->log);
	free(place);
	return rc;
}

static int write_arguments(int argc, char **argv)
{
	struct strvec lists = STRVEC_INIT;

	(void)argc;
	(void)argv;
	again_split(&lists);
	for (size_t i = 0; i < lists.nr; i++)
		printf("%s\n", lists.v[i]);
	strvec_release(&lists);
	return 0;
}

static int end(int argc, char **argv)
{
	return argc ? (int)strtoul(argv[0], NULL, 0) : 98;
}

static int write_both(int argc, char **argv)
{
	printf("out %s\n", argc ? argv[0] : "");
	fflush(stdout);
	fprintf(stderr, "err\n");
	return 5;
}

static int write_place(int argc, char **argv)
{
	wchar_t dir[512];
	char *text;

	GetCurrentDirectoryW(512, dir);
	text = wide_to_utf8(dir);
	printf("%s\n", text);
	for (int i = 0; i < argc; i++) {
		char *value = wide_getenv(argv[i]);

		printf("%s\n", value ? value : "unset");
		free(value);
	}
	free(text);
	return 0;
}

static int read_stdin(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return getchar() == EOF ? 7 : 1;
}

static int wait_long(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("waits\n");
	fflush(stdout);
	Sleep(60000);
	return 0;
}

static int write_much(int argc, char **argv)
{
	static char block[3000001];

	(void)argc;
	(void)argv;
	memset(block, 'm', sizeof(block));
	fwrite(block, sizeof(block), 1, stdout);
	return 4;
}

/* Starts one that waits, says its number, and ends or waits too. */
static int start_waiting(int argc, char **argv)
{
	STARTUPINFOW startup = { .cb = sizeof(startup) };
	PROCESS_INFORMATION made;
	struct strvec args = STRVEC_INIT;
	char *path = again_path(), *line = xasprintf("\"%s\" --child wait", path);
	wchar_t *wide = wide_from_utf8(line);

	(void)argv;
	if (!CreateProcessW(NULL, wide, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &made))
		return 1;
	printf("%lu\n", made.dwProcessId);
	fflush(stdout);
	if (argc)
		Sleep(60000);
	free(wide);
	free(line);
	free(path);
	strvec_release(&args);
	return 0;
}

/* Whether a handle of the parent, whose number is given, is one here: 3 where it is not. */
static int check_handle(int argc, char **argv)
{
	HANDLE handle = (HANDLE)(uintptr_t)(argc ? strtoull(argv[0], NULL, 0) : 0);
	DWORD flags;

	return GetHandleInformation(handle, &flags) ? 2 : 3;
}

/* Holds a child, says its number, and ends without letting it go. */
static int die_with_a_held_child(int argc, char **argv)
{
	struct strvec args = STRVEC_INIT;
	struct child_options options = { .argv = &args };
	struct err err = ERR_INIT;
	struct child child;

	(void)argc;
	(void)argv;
	again_push(&args, "wait");
	if (child_start(&options, &child, &err))
		return 1;
	printf("%lld\n", (long long)child.pid);
	fflush(stdout);
	TerminateProcess(GetCurrentProcess(), 6);
	return 0;
}

static const struct again children[] = {
	{ "arguments", write_arguments }, { "end", end },
	{ "both", write_both },           { "place", write_place },
	{ "stdin", read_stdin },          { "wait", wait_long },
	{ "much", write_much },           { "start", start_waiting },
	{ "handle", check_handle },       { "die", die_with_a_held_child },
};

static int capture(const char *word, const char *argument, int64_t timeout_ns,
		   struct strbuf *output, int64_t *exit_code, struct err *err)
{
	struct strvec argv = STRVEC_INIT;
	int rc;

	again_push(&argv, word);
	if (argument)
		strvec_push(&argv, argument);
	rc = child_capture(&argv, NULL, timeout_ns, output, exit_code, err);
	strvec_release(&argv);
	return rc;
}

/* Run it to its end; the exit code. */
static int64_t run(const char *word, const char *argument, const char *cwd,
		   const struct strvec *env, const char *log)
{
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .cwd = cwd, .env = env, .output = log };
	struct err err = ERR_INIT;
	struct child child;

	again_push(&argv, word);
	if (argument)
		strvec_push(&argv, argument);
	if (child_start(&options, &child, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(child_release(&child, &options, &err), 0);
	assert_true(child_wait(&child, LONG));
	assert_true(child_poll(&child));
	strvec_release(&argv);
	return child.exit_code;
}

static void check_log(const struct place *place, const char *expected)
{
	struct strbuf text = STRBUF_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(fs_read(place->log, 1 << 20, &text, &err), 0);
	assert_string_equal(text.buf, expected);
	strbuf_release(&text);
}

static bool is_alive(long long pid)
{
	HANDLE process = OpenProcess(SYNCHRONIZE, FALSE, (DWORD)pid);
	bool alive = process && WaitForSingleObject(process, 0) == WAIT_TIMEOUT;

	if (process)
		CloseHandle(process);
	return alive;
}

static void check_gone(long long pid)
{
	assert_true(pid > 0);
	for (int i = 0; i < 500 && is_alive(pid); i++)
		clock_sleep(10 * NS_PER_MS);
	assert_false(is_alive(pid));
}

static void child_start__hard_arguments__arrive_as_they_are(void **state)
{
	struct strbuf output = STRBUF_INIT, expected = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	again_push(&argv, "arguments");
	for (size_t i = 0; i < ARRAY_SIZE(hard); i++)
		strvec_push(&argv, hard[i]);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(hard); i++)
		strbuf_addf(&expected, "%s\n", hard[i % ARRAY_SIZE(hard)]);
	assert_int_equal(child_capture(&argv, NULL, LONG, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 0);
	assert_string_equal(output.buf, expected.buf);
	strbuf_release(&expected);
	strbuf_release(&output);
	strvec_release(&argv);
}

static void child_wait__exit_codes__have_all_their_bits(void **state)
{
	static const struct {
		const char *text;
		int64_t exit_code;
	} cases[] = {
		{ "0", 0 },
		{ "1", 1 },
		{ "259", 259 }, /* STILL_ACTIVE */
		{ "0x12345678", 0x12345678 },
		{ "0xc0000005", INT64_C(0xc0000005) },
		{ "0xffffffff", INT64_C(0xffffffff) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(run("end", cases[i].text, NULL, NULL, NULL), cases[i].exit_code);
}

static void child_start__output_file__is_appended_to(void **state)
{
	const struct place *place = *state;

	assert_int_equal(run("both", "\xc3\xa4", NULL, NULL, place->log), 5);
	assert_int_equal(run("both", "2", NULL, NULL, place->log), 5);
	check_log(place, "out \xc3\xa4\nerr\nout 2\nerr\n");
}

static void child_start__output_that_cannot_be_opened__fails(void **state)
{
	const struct place *place = *state;
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .output = place->dir };
	struct err err = ERR_INIT;
	struct child child;

	again_push(&argv, "end");
	assert_int_equal(child_start(&options, &child, &err), -1);
	assert_non_null(strstr(err.msg, place->dir));
	err_clear(&err);
	strvec_release(&argv);
}

static void child_start__place_and_environment__are_those_asked_for(void **state)
{
	const struct place *place = *state;
	char *dir = fs_absolute(place->dir),
	     *expected = xasprintf("%s\nkept\ntheirs = two\nn\xc3\xa4w\nunset\n", dir);
	struct strvec argv = STRVEC_INIT, env = STRVEC_INIT;
	struct child_options options = {
		.argv = &argv, .cwd = place->dir, .env = &env, .output = place->log
	};
	struct err err = ERR_INIT;
	struct child child;
	char *ours;

	SetEnvironmentVariableW(L"CHILD_KEPT", L"kept");
	SetEnvironmentVariableW(L"Child_Changed", L"ours");
	strvec_push(&env, "CHILD_CHANGED=theirs = two");
	strvec_push(&env, "CHILD_NEW=n\xc3\xa4w");
	again_push(&argv, "place");
	strvec_push(&argv, "CHILD_KEPT");
	strvec_push(&argv, "CHILD_CHANGED");
	strvec_push(&argv, "CHILD_NEW");
	strvec_push(&argv, "CHILD_NONE");
	assert_int_equal(child_start(&options, &child, &err), 0);
	assert_int_equal(child_release(&child, &options, &err), 0);
	assert_true(child_wait(&child, LONG));
	check_log(place, expected);
	ours = wide_getenv("CHILD_CHANGED");
	assert_string_equal(ours, "ours");
	free(ours);
	assert_null(wide_getenv("CHILD_NEW"));
	strvec_release(&env);
	strvec_release(&argv);
	free(expected);
	free(dir);
}

static void child_start__stdin__is_empty(void **state)
{
	(void)state;
	assert_int_equal(run("stdin", NULL, NULL, NULL, NULL), 7);
}

static void child_start__our_handles__are_not_inherited(void **state)
{
	SECURITY_ATTRIBUTES inherited = { sizeof(inherited), NULL, TRUE };
	HANDLE event = CreateEventW(&inherited, TRUE, FALSE, NULL);
	/* Far from the few that a new process has by itself. */
	HANDLE many[200];
	char number[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = CreateEventW(&inherited, TRUE, FALSE, NULL);
	snprintf(number, sizeof(number), "%llu", (unsigned long long)(uintptr_t)many[199]);
	assert_int_equal(run("handle", number, NULL, NULL, NULL), 3);
	for (size_t i = 0; i < ARRAY_SIZE(many); i++)
		CloseHandle(many[i]);
	CloseHandle(event);
}

static void child_release__before_it__nothing_runs(void **state)
{
	const struct place *place = *state;
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv, .output = place->log };
	struct err err = ERR_INIT;
	struct child child;

	again_push(&argv, "both");
	assert_int_equal(child_start(&options, &child, &err), 0);
	assert_true(child.pid > 0);
	assert_false(child_wait(&child, 200 * NS_PER_MS));
	assert_false(child_poll(&child));
	check_log(place, "");
	assert_int_equal(child_release(&child, &options, &err), 0);
	assert_true(child_wait(&child, LONG));
	check_log(place, "out \nerr\n");
	strvec_release(&argv);
}

static void child_release__killed_while_held__is_seen_as_ended(void **state)
{
	struct strvec argv = STRVEC_INIT;
	struct child_options options = { .argv = &argv };
	struct err err = ERR_INIT;
	struct child child;

	(void)state;
	again_push(&argv, "wait");
	assert_int_equal(child_start(&options, &child, &err), 0);
	child_signal(&child, CHILD_TERMINATE);
	assert_true(child_wait(&child, LONG));
	assert_int_equal(child.exit_code, 128 + 15);
	assert_int_equal(child_release(&child, &options, &err), 0);
	strvec_release(&argv);
}

static void child_start__what_cannot_be_run__says_why(void **state)
{
	const struct place *place = *state;
	static const struct {
		const char *program;
		const char *cwd; /* below the directory */
		enum err_code code;
		const char *words;
	} cases[] = {
		{ "no-such-program-1b2c", "", ERR_NOT_FOUND, "no-such-program-1b2c" },
		{ "C:\\no\\such\\program", "", ERR_NOT_FOUND, "C:\\no\\such\\program" },
		{ "./log", "", ERR_NOT_FOUND, "./log" },
		{ "cmd", "\\missing", ERR_FAILED, "cannot enter" },
		{ "cmd", "\\log", ERR_FAILED, "cannot enter" },
		{ "./text.exe", "", ERR_FAILED, "./text.exe" },
	};
	struct err err = ERR_INIT;
	char *text = fs_join(place->dir, "text.exe");

	assert_int_equal(fs_write_atomic(place->log, "", 0, &err), 0);
	assert_int_equal(fs_write_atomic(text, "no program", 10, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *cwd = xasprintf("%s%s", place->dir, cases[i].cwd);
		struct strvec argv = STRVEC_INIT;
		struct child_options options = { .argv = &argv, .cwd = cwd };
		struct child child;

		strvec_push(&argv, cases[i].program);
		assert_int_equal(child_start(&options, &child, &err), -1);
		if (err.code != cases[i].code || !strstr(err.msg, cases[i].words))
			fail_msg("'%s': %d %s", cases[i].program, err.code, err.msg);
		err_clear(&err);
		strvec_release(&argv);
		free(cwd);
	}
	free(text);
}

/* Found as a shell would: without its ending, in the child's directory, and by cmd where it is a batch file. */
static void child_start__batch_file__is_run_by_cmd(void **state)
{
	static const char script[] = "@echo off\r\necho [%1][%2]\r\nexit /b 9\r\n";
	const struct place *place = *state;
	struct strbuf output = STRBUF_INIT;
	struct strvec argv = STRVEC_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;
	char *path = fs_join(place->dir, "t\xc3\xb6ol.cmd");

	assert_int_equal(fs_write_atomic(path, script, strlen(script), &err), 0);
	strvec_push(&argv, "./t\xc3\xb6ol");
	strvec_push(&argv, "one");
	strvec_push(&argv, "two & three");
	if (child_capture(&argv, place->dir, LONG, &output, &exit_code, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(output.buf, "[one][\"two & three\"]\r\n");
	assert_int_equal(exit_code, 9);
	strvec_release(&argv);
	strbuf_release(&output);
	free(path);
}

static void child_signal__each__ends_it(void **state)
{
	static const struct {
		enum child_signal signal;
		int number;
	} cases[] = {
		{ CHILD_INTERRUPT, 2 },
		{ CHILD_TERMINATE, 15 },
		{ CHILD_KILL, 9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct strvec argv = STRVEC_INIT;
		struct child_options options = { .argv = &argv };
		struct err err = ERR_INIT;
		struct child child;

		again_push(&argv, "wait");
		assert_int_equal(child_start(&options, &child, &err), 0);
		assert_int_equal(child_release(&child, &options, &err), 0);
		child_signal(&child, cases[i].signal);
		assert_true(child_wait(&child, LONG));
		/* With a console it is a Ctrl-Break that ends it. */
		assert_true(child.exit_code == 128 + cases[i].number ||
			    child.exit_code == (int64_t)STATUS_CONTROL_C_EXIT);
		child_signal(&child, CHILD_KILL);
		strvec_release(&argv);
	}
}

static void child_start__we_die_before_release__it_ends_by_itself(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	assert_int_equal(capture("die", NULL, LONG, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 6);
	check_gone(atoll(output.buf));
	strbuf_release(&output);
}

static void child_capture__both_streams__are_taken(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	strbuf_adds(&output, "before ");
	assert_int_equal(capture("both", "x", LONG, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 5);
	assert_string_equal(output.buf, "before out x\nerr\n");
	strbuf_release(&output);
}

static void child_capture__more_than_the_limit__is_cut_and_goes_on(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	assert_int_equal(capture("much", NULL, LONG, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 4);
	assert_int_equal(output.len, 1 << 20);
	strbuf_release(&output);
}

static void child_capture__too_slow__is_killed_with_what_it_started(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;

	(void)state;
	assert_int_equal(capture("start", "wait", 2 * NS_PER_S, &output, &exit_code, &err), -1);
	assert_non_null(strstr(err.msg, "did not end in time"));
	assert_int_equal(exit_code, 128 + 9);
	check_gone(atoll(output.buf));
	err_clear(&err);
	strbuf_release(&output);
}

static void child_capture__a_daemon_keeps_the_pipe__is_not_waited_for(void **state)
{
	struct strbuf output = STRBUF_INIT;
	struct err err = ERR_INIT;
	int64_t exit_code = -1;
	HANDLE daemon;

	(void)state;
	assert_int_equal(capture("start", NULL, LONG, &output, &exit_code, &err), 0);
	assert_int_equal(exit_code, 0);
	assert_true(is_alive(atoll(output.buf)));
	daemon = OpenProcess(PROCESS_TERMINATE, FALSE, (DWORD)atoll(output.buf));
	TerminateProcess(daemon, 0);
	CloseHandle(daemon);
	strbuf_release(&output);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(child_start__hard_arguments__arrive_as_they_are),
		TEST(child_wait__exit_codes__have_all_their_bits),
		TEST(child_start__output_file__is_appended_to),
		TEST(child_start__output_that_cannot_be_opened__fails),
		TEST(child_start__place_and_environment__are_those_asked_for),
		TEST(child_start__stdin__is_empty),
		TEST(child_start__our_handles__are_not_inherited),
		TEST(child_release__before_it__nothing_runs),
		TEST(child_release__killed_while_held__is_seen_as_ended),
		TEST(child_start__what_cannot_be_run__says_why),
		TEST(child_start__batch_file__is_run_by_cmd),
		TEST(child_signal__each__ends_it),
		TEST(child_start__we_die_before_release__it_ends_by_itself),
		TEST(child_capture__both_streams__are_taken),
		TEST(child_capture__more_than_the_limit__is_cut_and_goes_on),
		TEST(child_capture__too_slow__is_killed_with_what_it_started),
		TEST(child_capture__a_daemon_keeps_the_pipe__is_not_waited_for),
	};

	program_start(&argc, &argv);
	again_run(children, ARRAY_SIZE(children), argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
