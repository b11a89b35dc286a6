/*
 * Another user cannot choose where results go.
 */
#include "platform/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "platform/fs.h"
#include "unit/fs_place.h"
#include "util/strbuf.h"

/* As if a stranger had put it in the place of a FIFO. */
static void stream_open__a_file_or_a_link_to_one__is_left_as_it_is(void **state)
{
	struct err err = ERR_INIT;
	struct strbuf text = STRBUF_INIT;
	FILE *file;

	(void)state;
	assert_int_equal(fs_write_atomic("precious", "text", 4, &err), 0);
	assert_int_equal(symlink("precious", "link"), 0);
	errno = 0;
	assert_null(stream_open("precious"));
	assert_int_equal(errno, ENODEV);
	assert_null(stream_open("link"));
	assert_null(stream_open("none"));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(fs_read("precious", 100, &text, &err), 0);
	assert_string_equal(text.buf, "text");
	strbuf_release(&text);
	file = stream_open("/dev/null");
	assert_non_null(file);
	fclose(file);
}

/* To another user; without the rights for that the test is skipped. */
static void give_away(const char *path)
{
	if (!lchown(path, 12345, 12345))
		return;
	printf("no rights to give '%s' away\n", path);
	skip();
}

static void refuses(const char *path)
{
	assert_true(fs_is_stream(path));
	assert_false(stream_is_ours(path));
	errno = 0;
	assert_null(stream_open(path));
	assert_int_equal(errno, EPERM);
}

static void accepts(const char *path)
{
	FILE *file;

	assert_true(fs_is_stream(path));
	assert_true(stream_is_ours(path));
	file = stream_open(path);
	if (!file)
		fail_msg("'%s': %s", path, strerror(errno));
	fclose(file);
}

static void stream_open__a_fifo_of_another_user__is_refused(void **state)
{
	int reader;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(symlink("fifo", "link"), 0);
	/* Opening it without a reader would wait. */
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	accepts("fifo");
	accepts("link");
	give_away("fifo");
	refuses("fifo");
	refuses("link");
	close(reader);
}

static void stream_open__a_link_of_another_user__is_not_followed(void **state)
{
	(void)state;
	assert_int_equal(symlink("/dev/null", "link"), 0);
	assert_int_equal(symlink("link", "to_link"), 0);
	assert_int_equal(mkdir("dir", 0700), 0);
	assert_int_equal(symlink("../link", "dir/above"), 0);
	accepts("link");
	accepts("to_link");
	accepts("dir/above");
	give_away("link");
	refuses("link");
	refuses("to_link");
	refuses("dir/above");
}

/* A shell's >(command), and /dev/stdout of a pipe that another user made. */
static void stream_open__what_is_open_already__is_fine(void **state)
{
	char path[64];
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
	accepts(path);
	assert_int_equal(symlink(path, "link"), 0);
	accepts("link");
	if (!fchown(ends[1], 12345, 12345))
		accepts(path);
	close(ends[0]);
	close(ends[1]);
}

static void stream_is_ours__links_in_a_circle__end(void **state)
{
	(void)state;
	assert_int_equal(symlink("b", "a"), 0);
	assert_int_equal(symlink("a", "b"), 0);
	assert_true(stream_is_ours("a"));
	assert_null(stream_open("a"));
	assert_int_equal(errno, ELOOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stream_open__a_file_or_a_link_to_one__is_left_as_it_is),
		TEST(stream_open__a_fifo_of_another_user__is_refused),
		TEST(stream_open__a_link_of_another_user__is_not_followed),
		TEST(stream_open__what_is_open_already__is_fine),
		TEST(stream_is_ours__links_in_a_circle__end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
