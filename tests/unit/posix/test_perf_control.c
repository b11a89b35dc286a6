#include "../fs_place.h"

#include <fcntl.h>
#include <signal.h>

#include "profiler/perf_control.h"
#include "util/text.h"

#define START (1000 * NS_PER_S)

/* What has been sent by now. */
static void check_sent(int reader, const char *expected)
{
	char sent[100];
	ssize_t got = read(reader, sent, sizeof(sent) - 1);

	sent[got > 0 ? got : 0] = '\0';
	assert_string_equal(sent, expected);
}

static void perf_control__tick__asks_ten_times_a_second(void **state)
{
	struct perf_control *control = perf_control_new();
	char *fifo = xstrdup(perf_control_path(control));
	int reader;

	(void)state;
	/* Nobody has it open yet: nothing is sent. */
	perf_control_tick(control, START, 0);
	assert_true(fs_exists(fifo));
	reader = open(fifo, O_RDWR | O_NONBLOCK);
	assert_true(reader >= 0);
	check_sent(reader, "");
	perf_control_tick(control, START + 1, 0);
	check_sent(reader, "ping\n");
	assert_false(fs_exists(fifo));
	perf_control_tick(control, START + 100 * NS_PER_MS, 0);
	check_sent(reader, "");
	perf_control_tick(control, START + 100 * NS_PER_MS + 1, 0);
	perf_control_tick(control, START + 200 * NS_PER_MS + 1, 0);
	check_sent(reader, "ping\nping\n");
	close(reader);
	perf_control_free(control);
	free(fifo);
}

static void perf_control__process_has_ended__asks_earlier(void **state)
{
	struct perf_control *control = perf_control_new();
	int reader = open(perf_control_path(control), O_RDWR | O_NONBLOCK);

	(void)state;
	perf_control_tick(control, START, 0);
	check_sent(reader, "ping\n");
	perf_control_tick(control, START + 20 * NS_PER_MS, 0);
	check_sent(reader, "");
	perf_control_tick(control, START + 40 * NS_PER_MS, 2);
	check_sent(reader, "ping\n");
	/* The next one waits for its turn. */
	perf_control_tick(control, START + 60 * NS_PER_MS, 3);
	check_sent(reader, "");
	perf_control_tick(control, START + 90 * NS_PER_MS - 1, 3);
	check_sent(reader, "");
	perf_control_tick(control, START + 90 * NS_PER_MS, 3);
	check_sent(reader, "ping\n");
	perf_control_tick(control, START + 189 * NS_PER_MS, 3);
	check_sent(reader, "");
	perf_control_tick(control, START + 190 * NS_PER_MS, 3);
	check_sent(reader, "ping\n");
	close(reader);
	perf_control_free(control);
}

static void perf_control__reader_is_gone__no_harm(void **state)
{
	struct perf_control *control = perf_control_new();
	int reader = open(perf_control_path(control), O_RDWR | O_NONBLOCK);

	(void)state;
	perf_control_tick(control, START, 0);
	check_sent(reader, "ping\n");
	close(reader);
	perf_control_tick(control, START + NS_PER_S, 0);
	perf_control_free(control);
}

/* One who is busy does not stop the recording: what does not fit is dropped. */
static void perf_control__reader_is_busy__no_harm(void **state)
{
	struct perf_control *control = perf_control_new();
	int reader = open(perf_control_path(control), O_RDWR | O_NONBLOCK);
	char text[5];

	(void)state;
	for (int i = 0; i < 100000; i++)
		perf_control_tick(control, START + i * NS_PER_S, 0);
	assert_true(read(reader, text, sizeof(text)) == 5);
	assert_memory_equal(text, "ping\n", 5);
	close(reader);
	perf_control_free(control);
}

static void perf_control__never_opened__leaves_nothing(void **state)
{
	struct perf_control *control;
	struct strvec names = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("temp", &err), 0);
	setenv("TMPDIR", "temp", 1);
	control = perf_control_new();
	assert_true(fs_exists(perf_control_path(control)));
	perf_control_free(control);
	perf_control_free(NULL);
	assert_int_equal(fs_list("temp", &names, &err), 0);
	assert_int_equal(names.nr, 0);
	unsetenv("TMPDIR");
	strvec_release(&names);
}

/* perf would take what follows a comma for another file. */
static void perf_control__no_place__is_none(void **state)
{
	static const char *const dirs[] = { "no-directory", "a,b" };
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("a,b", &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		setenv("TMPDIR", dirs[i], 1);
		assert_null(perf_control_new());
	}
	unsetenv("TMPDIR");
}

/* A file in its place gets nothing. */
static void perf_control__replaced_fifo__is_not_written_to(void **state)
{
	struct perf_control *control = perf_control_new();
	const char *fifo = perf_control_path(control);

	(void)state;
	assert_int_equal(unlink(fifo), 0);
	put(fifo, "");
	perf_control_tick(control, START, 0);
	assert_int_equal(fs_size(fifo), 0);
	perf_control_free(control);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(perf_control__tick__asks_ten_times_a_second),
		TEST(perf_control__process_has_ended__asks_earlier),
		TEST(perf_control__reader_is_gone__no_harm),
		TEST(perf_control__reader_is_busy__no_harm),
		TEST(perf_control__never_opened__leaves_nothing),
		TEST(perf_control__no_place__is_none),
		TEST(perf_control__replaced_fifo__is_not_written_to),
	};

	signal(SIGPIPE, SIG_IGN); /* as in the program */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
