/*
 * What is no regular file of this user is never replaced.
 */
#include "platform/output.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "platform/cost.h"
#include "unit/fs_place.h"

static void check_kept(const char *path, const struct stat *before)
{
	struct stat now;

	assert_int_equal(lstat(path, &now), 0);
	assert_int_equal(now.st_ino, before->st_ino);
	assert_int_equal(now.st_mode, before->st_mode);
}

static void refuses(const char *path, enum output_kind kind, const char *why)
{
	struct stat before;
	struct output *output;
	struct err err = ERR_INIT;

	assert_int_equal(lstat(path, &before), 0);
	assert_int_equal(output_open(path, kind, &output, &err), -1);
	if (!strstr(err.msg, why))
		fail_msg("'%s' is not in: %s", why, err.msg);
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	err_clear(&err);
	check_kept(path, &before);
}

/* To another user; without the rights for that the test is skipped. */
static void give_away(const char *path)
{
	if (!chown(path, 12345, 12345))
		return;
	printf("no rights to give '%s' away\n", path);
	skip();
}

static void output_open__links__are_refused(void **state)
{
	(void)state;
	put("file", "text");
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(symlink("none", "dangling"), 0);
	refuses("link", OUTPUT_STREAM, "it is a link");
	refuses("link", OUTPUT_PRIVATE, "it is a link");
	refuses("dangling", OUTPUT_STREAM, "it is a link");
	assert_false(fs_exists("none"));
	check_text("file", "text");
}

static void output_open__link_as_temporary_name__is_not_followed(void **state)
{
	struct output *output;
	struct err err = ERR_INIT;

	(void)state;
	put("file", "text");
	assert_int_equal(symlink("file", "x.partial"), 0);
	check_failed(output_open("x", OUTPUT_STREAM, &output, &err), &err, ERR_UNSUPPORTED,
		     "x.partial");
	assert_true(fs_is_link("x.partial"));
	check_text("file", "text");
}

static void output_open__fifo__is_written_into_by_a_stream(void **state)
{
	struct output *output;
	struct stat before;
	struct err err = ERR_INIT;
	char text[8] = "";
	int reader;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(symlink("fifo", "link"), 0);
	assert_int_equal(lstat("fifo", &before), 0);
	refuses("fifo", OUTPUT_PRIVATE, "it is not a regular file");
	refuses("link", OUTPUT_PRIVATE, "it is a link");
	reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(output_open(i ? "link" : "fifo", OUTPUT_STREAM, &output, &err), 0);
		assert_true(fputs("text", output_stream(output)) >= 0);
		assert_int_equal(output_finish(output, &err), 0);
		output_free(output);
		assert_int_equal(read(reader, text, sizeof(text)), 4);
		assert_string_equal(text, "text");
	}
	close(reader);
	check_kept("fifo", &before);
}

/* In /tmp anyone may put there what the result is written into. */
static void output_open__fifo_or_link_of_another_user__is_refused(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(symlink("/dev/null", "link"), 0);
	give_away("fifo");
	if (lchown("link", 12345, 12345))
		skip();
	refuses("fifo", OUTPUT_STREAM, "another user chose where it leads");
	refuses("link", OUTPUT_STREAM, "another user chose where it leads");
	refuses("link", OUTPUT_STREAM | OUTPUT_REPLACE, "another user chose where it leads");
	check_failed(output_check("link", OUTPUT_STREAM, NULL, &err), &err, ERR_UNSUPPORTED,
		     "'link'");
}

/* Copies of /dev/full and a disk, in the test's directory: their nodes on this machine are not put at risk. */
static void output_open__devices__are_never_replaced(void **state)
{
	struct output *output;
	struct stat before;
	struct err err = ERR_INIT;

	(void)state;
	if (mknod("full", S_IFCHR | 0600, makedev(1, 7)) ||
	    mknod("disk", S_IFBLK | 0600, makedev(7, 255))) {
		puts("no rights to make a device");
		skip();
	}
	assert_int_equal(lstat("full", &before), 0);
	refuses("full", OUTPUT_PRIVATE, "it is not a regular file");
	refuses("disk", OUTPUT_PRIVATE, "it is not a regular file");
	refuses("disk", OUTPUT_STREAM, "it is not a regular file");
	if (output_open("full", OUTPUT_STREAM, &output, &err)) {
		puts("devices do not work here");
		err_clear(&err);
		skip();
	}
	assert_true(fputs("text", output_stream(output)) >= 0);
	check_failed(output_finish(output, &err), &err, ERR_NO_SPACE, "'full'");
	output_free(output);
	check_kept("full", &before);
}

static void output_open__file_of_another_user__is_refused(void **state)
{
	struct err err = ERR_INIT;
	struct output *output;

	(void)state;
	put("file", "text");
	give_away("file");
	assert_int_equal(unsetenv("SUDO_UID"), 0);
	refuses("file", OUTPUT_STREAM, "it belongs to another user");
	refuses("file", OUTPUT_PRIVATE, "it belongs to another user");
	/* That of the user who called sudo. */
	assert_int_equal(setenv("SUDO_UID", "12345", 1), 0);
	assert_int_equal(output_open("file", OUTPUT_STREAM | OUTPUT_REPLACE, &output, &err), 0);
	output_free(output);
	assert_int_equal(unsetenv("SUDO_UID"), 0);
}

static void output_finish__by_sudo_in_the_users_directory__is_the_users(void **state)
{
	struct err err = ERR_INIT;
	struct output *output;
	struct stat st;

	(void)state;
	give_away(".");
	assert_int_equal(setenv("SUDO_UID", "12345", 1) | setenv("SUDO_GID", "12345", 1), 0);
	assert_int_equal(output_open("new", OUTPUT_PRIVATE, &output, &err), 0);
	output_set_mode(output, 0640);
	assert_int_equal(output_finish(output, &err), 0);
	output_free(output);
	assert_int_equal(unsetenv("SUDO_UID") | unsetenv("SUDO_GID"), 0);
	assert_int_equal(stat("new", &st), 0);
	assert_int_equal(st.st_uid, 12345);
	assert_int_equal(st.st_mode & 0777, 0640);
}

/* Root by its own login. */
static void output_finish__by_root_in_anothers_directory__stays_roots(void **state)
{
	static const enum output_kind kinds[] = { OUTPUT_STREAM, OUTPUT_PRIVATE };
	struct err err = ERR_INIT;
	struct output *output;
	struct stat st;

	(void)state;
	give_away(".");
	assert_int_equal(unsetenv("SUDO_UID") | unsetenv("SUDO_GID"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		assert_int_equal(output_open("new", kinds[i] | OUTPUT_REPLACE, &output, &err), 0);
		assert_int_equal(output_finish(output, &err), 0);
		output_free(output);
		assert_int_equal(stat("new", &st), 0);
		assert_int_equal(st.st_uid, 0);
	}
}

static void output_finish__private__is_for_its_owner_alone(void **state)
{
	struct output *output;
	struct err err = ERR_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(output_open("private", OUTPUT_PRIVATE, &output, &err), 0);
	assert_int_equal(output_finish(output, &err), 0);
	output_free(output);
	assert_int_equal(stat("private", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void output_finish__replaced_meanwhile__is_an_error(void **state)
{
	struct output *output;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(output_open("x", OUTPUT_STREAM, &output, &err), 0);
	assert_int_equal(mkfifo("x", 0600), 0);
	check_failed(output_finish(output, &err), &err, ERR_UNSUPPORTED, "'x'");
	output_free(output);
	assert_true(fs_is_stream("x"));
	assert_false(fs_exists("x.partial"));
}

static void begin_output(void)
{
	struct output *output;
	struct err err = ERR_INIT;

	cost_limit("in", 0);
	if (output_open("unfinished", OUTPUT_STREAM, &output, &err) ||
	    !fs_exists("unfinished.partial"))
		_exit(2);
}

static void run_out_of_memory(void)
{
	begin_output();
	alloc_fail();
}

static void run_out_of_time(void)
{
	begin_output();
	raise(SIGXCPU);
}

static void output_open__limits_end_the_program__leaves_nothing(void **state)
{
	void (*const ends[])(void) = { run_out_of_memory, run_out_of_time, run_out_of_memory,
				       run_out_of_time };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		int status, code = i < 2 ? 1 : 125;
		pid_t pid = fork();

		if (!pid) {
			fclose(stderr);
			if (code != 1)
				alloc_set_exit_code(code);
			ends[i]();
			_exit(3);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), code);
		assert_false(fs_exists("unfinished.partial"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(output_open__links__are_refused),
		TEST(output_open__link_as_temporary_name__is_not_followed),
		TEST(output_open__fifo__is_written_into_by_a_stream),
		TEST(output_open__fifo_or_link_of_another_user__is_refused),
		TEST(output_open__devices__are_never_replaced),
		TEST(output_open__file_of_another_user__is_refused),
		TEST(output_finish__by_sudo_in_the_users_directory__is_the_users),
		TEST(output_finish__by_root_in_anothers_directory__stays_roots),
		TEST(output_finish__private__is_for_its_owner_alone),
		TEST(output_finish__replaced_meanwhile__is_an_error),
		TEST(output_open__limits_end_the_program__leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
