#include "platform/owner.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "platform/below.h"
#include "unit/fs_place.h"

#define USER  12345
#define GROUP 12346

static void check_file(const char *path, unsigned mode, unsigned user)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	if ((st.st_mode & 07777) != mode || st.st_uid != user)
		fail_msg("%s: %o of %u", path, (unsigned)(st.st_mode & 07777), (unsigned)st.st_uid);
}

static void owner_give_tree__files_and_directories__links_and_shared_files_are_not(void **state)
{
	static const char *const secret[] = { "none", "secret", NULL };
	struct owner nobody = { false, -1, -1 };
	struct err err = ERR_INIT;

	(void)state;
	put("run/sub/file", "");
	put("run/program", "");
	put("run/secret", "");
	put("run/sub/secret", "");
	put("outside", "");
	put("shared", "");
	assert_int_equal(chmod("run/program", 0700), 0);
	assert_int_equal(chmod("outside", 0600) | chmod("shared", 0600), 0);
	assert_int_equal(symlink("../outside", "run/link"), 0);
	assert_int_equal(link("shared", "run/shared"), 0);
	assert_int_equal(mkfifo("run/fifo", 0600), 0);
	assert_int_equal(owner_give_tree("run", &nobody, 0644, secret, &err), 0);
	check_file("run/secret", 0600, geteuid());
	check_file("run/sub/secret", 0644, geteuid());
	check_file("run", 0755, geteuid());
	check_file("run/sub", 0755, geteuid());
	check_file("run/sub/file", 0644, geteuid());
	check_file("run/program", 0755, geteuid());
	check_file("run/fifo", 0600, geteuid());
	check_file("outside", 0600, geteuid());
	check_file("shared", 0600, geteuid());
	assert_int_equal(owner_give_tree("run", &nobody, 0600, secret, &err), 0);
	check_file("run/sub", 0700, geteuid());
	check_file("run/program", 0700, geteuid());
	check_failed(owner_give("none", &nobody, 0600, &err), &err, ERR_FAILED, "none");
}

static void owner_give_tree__too_deep__is_an_error(void **state)
{
	struct owner nobody = { false, -1, -1 };
	struct strbuf path = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	strbuf_adds(&path, "run");
	for (int i = 0; i < 40; i++)
		strbuf_adds(&path, "/d");
	assert_int_equal(fs_mkdir_all(path.buf, &err), 0);
	check_failed(owner_give_tree("run", &nobody, 0600, (const char *const[]){ NULL }, &err),
		     &err, ERR_FAILED, "run");
	strbuf_release(&path);
}

/* What is given away is what below_list() lists. */
static void owner_give_tree__deepest_directory__as_listed(void **state)
{
	struct owner nobody = { false, -1, -1 };
	struct strbuf path = STRBUF_INIT;
	struct strvec files = STRVEC_INIT;
	struct err err = ERR_INIT;

	(void)state;
	strbuf_adds(&path, "run");
	for (int i = 0; i < BELOW_DEPTH_MAX; i++)
		strbuf_adds(&path, "/d");
	assert_int_equal(fs_mkdir_all(path.buf, &err), 0);
	strbuf_adds(&path, "/file");
	put(path.buf, "");
	assert_int_equal(below_list("run", &files, &err), 0);
	assert_int_equal(files.nr, 1);
	assert_int_equal(owner_give_tree("run", &nobody, 0640, (const char *const[]){ NULL }, &err),
			 0);
	check_file(path.buf, 0640, geteuid());
	strbuf_set_len(&path, path.len - strlen("file"));
	strbuf_adds(&path, "d");
	assert_int_equal(fs_mkdir_all(path.buf, &err), 0);
	check_failed(below_list("run", &files, &err), &err, ERR_UNSUPPORTED,
		     "more than 32 directories deep");
	check_failed(owner_give_tree("run", &nobody, 0640, (const char *const[]){ NULL }, &err),
		     &err, ERR_FAILED, "run");
	strvec_release(&files);
	strbuf_release(&path);
}

/* As sudo sets them. */
static void be_sudo(const char *user, const char *group)
{
	setenv("SUDO_UID", user, 1);
	setenv("SUDO_GID", group, 1);
}

static void owner_in__directory_of_the_user_who_ran_sudo__is_that_users(void **state)
{
	struct owner owner;
	struct err err = ERR_INIT;

	(void)state;
	if (geteuid()) {
		print_message("only root can give files away\n");
		skip();
	}
	put("theirs/run/file", "");
	put("mine/file", "");
	assert_int_equal(chown("theirs", USER, GROUP), 0);
	assert_false(owner_in("theirs").given);
	assert_false(owner_is_ours("theirs"));
	be_sudo("12345", "12346");
	assert_true(owner_is_ours("theirs"));
	assert_true(owner_is_ours("mine"));
	assert_false(owner_in("mine").given);
	owner = owner_in("theirs/to/be/made");
	assert_true(owner.given);
	assert_int_equal(
		owner_give_tree("theirs/run", &owner, 0600, (const char *const[]){ NULL }, &err),
		0);
	check_file("theirs/run", 0700, USER);
	check_file("theirs/run/file", 0600, USER);
	/* Root by its own login, another user, no number. */
	be_sudo("0", "0");
	assert_false(owner_in("mine").given);
	be_sudo("12347", "12346");
	assert_false(owner_in("theirs").given);
	be_sudo("12345x", "12346");
	assert_false(owner_in("theirs").given);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(owner_give_tree__files_and_directories__links_and_shared_files_are_not),
		TEST(owner_give_tree__too_deep__is_an_error),
		TEST(owner_give_tree__deepest_directory__as_listed),
		TEST(owner_in__directory_of_the_user_who_ran_sudo__is_that_users),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
