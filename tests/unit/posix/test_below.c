#include "platform/below.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "unit/fs_place.h"

/* A run with a link to a file and to a directory outside, a FIFO, and a link in the place of a temporary file. */
static int enter_hostile(void **state)
{
	if (enter(state))
		return -1;
	put("secret/file", "secret");
	put("run/plain", "plain");
	put("run/logs/a.log", "one\ntwo\n");
	return symlink("../secret/file", "run/link") || symlink("../secret", "run/linked") ||
	       symlink("../secret/file", "run/new.partial") ||
	       symlink("../nowhere", "run/dangling") || mkfifo("run/fifo", 0600);
}

#define TEST_HOSTILE(name) cmocka_unit_test_setup_teardown(name, enter_hostile, leave)

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void below_open__what_is_no_regular_file__is_refused_at_once(void **state)
{
	static const char *const names[] = {
		"link",           "linked/file", "dangling", "fifo",        "logs",
		"../secret/file", "./plain",     "",         "/etc/passwd", "logs/../plain",
	};
	static const char *const modes[] = { "rb", "ab", "wbx" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct err err = ERR_INIT;

		for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
			assert_null(below_open("run", names[i], modes[m], &err));
			assert_int_equal(err.code, ERR_UNSUPPORTED);
			err_clear(&err);
		}
		assert_int_equal(below_size("run", names[i]), -1);
		check_failed(below_write("run", names[i], "x", 1, &err), &err, ERR_UNSUPPORTED, "");
		check_failed(below_remove("run", names[i], &err), &err, ERR_UNSUPPORTED, "");
	}
	check_text("secret/file", "secret");
	assert_true(fs_is_link("run/link"));
	assert_true(fs_exists("run/fifo"));
}

static void below_open__sparse__is_refused(void **state)
{
	struct err err = ERR_INIT;
	FILE *file;

	(void)state;
	put("run/sparse", "x");
	assert_int_equal(truncate("run/sparse", 65 << 20), 0);
	assert_null(below_open("run", "sparse", "rb", &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, "'run/sparse' is sparse: it is 65 MB long"));
	err_clear(&err);
	/* Of 65 MB, one may be stored. */
	file = fopen("run/sparse", "r+b");
	for (int i = 0; i < 1 << 20; i++)
		putc('x', file);
	fclose(file);
	file = below_open("run", "sparse", "rb", &err);
	assert_non_null(file);
	fclose(file);
}

static void below_write__new_and_existing__is_for_the_owner_alone(void **state)
{
	struct err err = ERR_INIT;
	mode_t mask = umask(0);

	(void)state;
	assert_int_equal(below_mkdir("run", "symbols", &err), 0);
	assert_int_equal(below_mkdir("run", "symbols", &err), 0);
	assert_int_equal(below_write("run", "symbols/lines", "1", 1, &err), 0);
	assert_int_equal(below_write("run", "symbols/lines", "23", 2, &err), 0);
	assert_int_equal(below_copy("secret/file", "run", "copy", &err), 0);
	umask(mask);
	check_text("run/symbols/lines", "23");
	check_text("run/copy", "secret");
	assert_int_equal(mode_of("run/symbols"), 0700);
	assert_int_equal(mode_of("run/symbols/lines"), 0600);
	assert_int_equal(mode_of("run/copy"), 0600);
	assert_false(fs_exists("run/copy.partial"));
}

static void below_write__link_in_the_place_of_its_temporary_file__is_refused(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	check_failed(below_write("run", "new", "owned", 5, &err), &err, ERR_UNSUPPORTED,
		     "run/new.partial");
	check_text("secret/file", "secret");
	assert_false(fs_exists("run/new"));
}

static void below_write__by_root__belongs_to_the_owner_of_the_directory(void **state)
{
	struct err err = ERR_INIT;
	struct stat st;

	(void)state;
	if (geteuid()) {
		print_message("for root alone\n");
		skip();
	}
	assert_int_equal(chown("run", 12345, 12346), 0);
	assert_int_equal(below_mkdir("run", "symbols", &err), 0);
	assert_int_equal(below_write("run", "symbols/lines", "1", 1, &err), 0);
	assert_int_equal(below_write("run", "plain", "1", 1, &err), 0);
	for (size_t i = 0; i < 3; i++) {
		static const char *const paths[] = { "run/symbols", "run/symbols/lines",
						     "run/plain" };

		assert_int_equal(lstat(paths[i], &st), 0);
		assert_int_equal(st.st_uid, 12345);
		assert_int_equal(st.st_gid, 12346);
	}
	assert_int_equal(lstat("run/logs/a.log", &st), 0);
	assert_int_equal(st.st_uid, 0);
}

static void below_find__no_directory__is_no_link(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(below_find("run/plain", "x"), BELOW_UNKNOWN);
	assert_null(below_open("run/plain", "x", "rb", &err));
	if (!strstr(err.msg, "Not a directory") && !strstr(err.msg, "not a directory"))
		fail_msg("%s", err.msg);
	err_clear(&err);
}

/* Run a check as a user who may not enter "run". */
static void below_open__no_rights__says_so(void **state)
{
	struct err err = ERR_INIT;
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(chmod("run", 0700) | chmod(".", 0755), 0);
	if (geteuid())
		assert_int_equal(chmod("run", 0), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct strvec files = STRVEC_INIT;

		if (!geteuid() && (setgroups(0, NULL) || setgid(12345) || setuid(12345)))
			_exit(1);
		if (below_find("run", "plain") != BELOW_UNKNOWN)
			_exit(2);
		if (below_open("run", "plain", "rb", &err) || !strstr(err.msg, "ermission denied"))
			_exit(3);
		err_clear(&err);
		if (!below_list("run", &files, &err) || !strstr(err.msg, "ermission denied"))
			_exit(4);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(chmod("run", 0700), 0);
	assert_int_equal(status, 0);
}

static void below_rename__missing__names_what_is_missing(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	check_failed(below_rename("run", "none", "plain", &err), &err, ERR_NOT_FOUND, "run/none");
	check_text("run/plain", "plain");
}

static void below_open__to_append__is_made_or_continued(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	for (int i = 0; i < 2; i++) {
		FILE *file = below_open("run", "logs/new.log", "ab", &err);

		assert_non_null(file);
		fputs("line\n", file);
		fclose(file);
	}
	check_text("run/logs/new.log", "line\nline\n");
}

static void below_list__a_link_or_fifo__is_an_error_that_names_it(void **state)
{
	struct strvec files = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(unlink("run/link") || unlink("run/linked") || unlink("run/dangling"), 0);
	check_failed(below_list("run", &files, &err), &err, ERR_UNSUPPORTED, "run/fifo");
	assert_int_equal(unlink("run/fifo"), 0);
	check_failed(below_list("run", &files, &err), &err, ERR_UNSUPPORTED, "run/new.partial");
	assert_int_equal(unlink("run/new.partial"), 0);
	strvec_release(&files);
	assert_int_equal(below_list("run", &files, &err), 0);
	assert_int_equal(files.nr, 2);
	assert_string_equal(files.v[0], "logs/a.log");
	assert_string_equal(files.v[1], "plain");
	strvec_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_HOSTILE(below_open__what_is_no_regular_file__is_refused_at_once),
		TEST_HOSTILE(below_open__sparse__is_refused),
		TEST_HOSTILE(below_write__new_and_existing__is_for_the_owner_alone),
		TEST_HOSTILE(below_write__link_in_the_place_of_its_temporary_file__is_refused),
		TEST_HOSTILE(below_write__by_root__belongs_to_the_owner_of_the_directory),
		TEST_HOSTILE(below_find__no_directory__is_no_link),
		TEST_HOSTILE(below_open__no_rights__says_so),
		TEST_HOSTILE(below_rename__missing__names_what_is_missing),
		TEST_HOSTILE(below_open__to_append__is_made_or_continued),
		TEST_HOSTILE(below_list__a_link_or_fifo__is_an_error_that_names_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
