/*
 * Files on POSIX: links, rights, special files. Tests for all systems are in unit/test_fs.c.
 */
#include "platform/fs.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/fs_place.h"

static void fs_predicates__each_kind_of_file__is_distinguished(void **state)
{
	static const struct {
		const char *path;
		bool exists, is_dir, is_executable;
		int64_t size;
	} cases[] = {
		{ "dir", true, true, false, -1 },          { "file", true, false, false, 5 },
		{ "program", true, false, true, 3 },       { "to-dir", true, true, false, -1 },
		{ "to-program", true, false, true, 3 },    { "dangling", true, false, false, -1 },
		{ "fifo", true, false, false, -1 },        { "none", false, false, false, -1 },
		{ "file/below", false, false, false, -1 }, { "", false, false, false, -1 },
	};
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("dir", &err), 0);
	put("file", "12345");
	put("program", "#!x");
	assert_int_equal(fs_set_executable("program", &err), 0);
	assert_int_equal(symlink("dir", "to-dir"), 0);
	assert_int_equal(symlink("program", "to-program"), 0);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (fs_exists(cases[i].path) != cases[i].exists ||
		    fs_is_dir(cases[i].path) != cases[i].is_dir ||
		    fs_is_executable(cases[i].path) != cases[i].is_executable ||
		    fs_size(cases[i].path) != cases[i].size)
			fail_msg("'%s'", cases[i].path);
	}
}

static void fs_remove_tree__links__are_not_followed(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("kept/file", "precious");
	put("tree/a/b/c", "");
	put("tree/a/.hidden", "");
	assert_int_equal(symlink("../kept", "tree/to-kept"), 0);
	assert_int_equal(symlink("../../kept/file", "tree/a/to-file"), 0);
	assert_int_equal(symlink("nowhere", "tree/dangling"), 0);
	assert_int_equal(mkfifo("tree/fifo", 0600), 0);
	assert_int_equal(fs_remove_tree("tree", &err), 0);
	assert_false(fs_exists("tree"));
	check_text("kept/file", "precious");
}

static void fs_remove_tree__a_link_itself__goes_alone(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("kept/file", "precious");
	assert_int_equal(symlink("kept", "link"), 0);
	assert_int_equal(fs_remove_tree("link", &err), 0);
	assert_false(fs_exists("link"));
	assert_int_equal(symlink("kept", "link"), 0);
	assert_int_equal(fs_remove_tree("link/", &err), 0);
	assert_false(fs_exists("link"));
	check_text("kept/file", "precious");
}

static void fs_remove_tree__file_or_nothing__is_fine(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	put("file", "");
	assert_int_equal(fs_remove_tree("file", &err), 0);
	assert_false(fs_exists("file"));
	assert_int_equal(fs_remove_tree("file", &err), 0);
	check_failed(fs_remove_tree("/proc/self", &err), &err, ERR_FAILED, "'/proc/self'");
}

static void fs_read__limit__is_the_largest_size_taken(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct err err = ERR_INIT;

	(void)state;
	put("file", "12345");
	put("empty", "");
	strbuf_adds(&sb, "x");
	assert_int_equal(fs_read("file", 5, &sb, &err), 0);
	assert_string_equal(sb.buf, "x12345");
	assert_int_equal(fs_read("empty", 0, &sb, &err), 0);
	assert_int_equal(sb.len, 6);
	check_failed(fs_read("file", 4, &sb, &err), &err, ERR_UNSUPPORTED, "'file'");
	check_failed(fs_read("none", 4, &sb, &err), &err, ERR_NOT_FOUND, "'none'");
	check_failed(fs_read(".", 4, &sb, &err), &err, ERR_FAILED, "'.'");
	strbuf_clear(&sb);
	check_failed(fs_read("/dev/zero", 1 << 20, &sb, &err), &err, ERR_UNSUPPORTED, "/dev/zero");
	strbuf_release(&sb);
}

static void fs_write_atomic__readers__see_old_or_new(void **state)
{
	static const char *const names[] = { "file", "other" };
	struct err err = ERR_INIT;
	ino_t before;
	struct stat st;

	(void)state;
	put("file", "old");
	assert_int_equal(link("file", "other"), 0);
	assert_int_equal(stat("file", &st), 0);
	before = st.st_ino;
	assert_int_equal(fs_write_atomic("file", "new", 3, &err), 0);
	assert_int_equal(stat("file", &st), 0);
	assert_true(st.st_ino != before);
	check_text("file", "new");
	check_text("other", "old");
	check_names(fs_list, ".", names, ARRAY_SIZE(names));
}

static void fs_sync__file_or_pipe__is_fine(void **state)
{
	struct err err = ERR_INIT;
	FILE *file = fopen("file", "w"), *pipe_file, *full;
	int fd[2];

	(void)state;
	fputs("text", file);
	assert_int_equal(fs_sync(file, "file", &err), 0);
	check_text("file", "text");
	fclose(file);
	assert_int_equal(pipe(fd), 0);
	pipe_file = fdopen(fd[1], "w");
	fputs("text", pipe_file);
	assert_int_equal(fs_sync(pipe_file, "pipe", &err), 0);
	fclose(pipe_file);
	close(fd[0]);
	full = fopen("/dev/full", "w");
	fputs("text", full);
	check_failed(fs_sync(full, "/dev/full", &err), &err, ERR_NO_SPACE, "/dev/full");
	fclose(full);
	assert_int_equal(fs_sync_dir(".", &err), 0);
	check_failed(fs_sync_dir("none", &err), &err, ERR_FAILED, "'none'");
}

static void fs_set_executable__who_may_read__may_run(void **state)
{
	static const struct {
		mode_t before, after;
	} cases[] = { { 0644, 0755 }, { 0640, 0750 }, { 0600, 0700 }, { 0755, 0755 } };
	struct err err = ERR_INIT;
	struct stat st;

	(void)state;
	put("file", "");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(chmod("file", cases[i].before), 0);
		assert_int_equal(fs_set_executable("file", &err), 0);
		assert_int_equal(stat("file", &st), 0);
		assert_int_equal(st.st_mode & 07777, cases[i].after);
	}
	check_failed(fs_set_executable("none", &err), &err, ERR_FAILED, "'none'");
}

/* In a process of its own: 0 where it gets the lock, 1 where another holds it. */
static int try_lock_elsewhere(const char *dir)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		struct err err = ERR_INIT;
		struct fs_lock *lock;

		_exit(!fs_lock(dir, &lock, &err) ? 0 : err.code == ERR_UNSUPPORTED ? 1 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void fs_lock__held__keeps_others_out(void **state)
{
	struct fs_lock *lock = NULL, *second = NULL;
	struct err err = ERR_INIT;

	(void)state;
	assert_int_equal(fs_mkdir("run", &err), 0);
	assert_int_equal(fs_lock("run", &lock, &err), 0);
	assert_int_equal(try_lock_elsewhere("run"), 1);
	check_failed(fs_lock("run", &second, &err), &err, ERR_UNSUPPORTED, "'run'");
	assert_int_equal(fs_rename("run", "renamed", &err), 0);
	assert_int_equal(try_lock_elsewhere("renamed"), 1);
	fs_unlock(lock);
	assert_int_equal(try_lock_elsewhere("renamed"), 0);
	check_failed(fs_lock("run", &second, &err), &err, ERR_FAILED, "'run'");
	fs_unlock(NULL);
}

static void fs_lock__holder_killed__is_free(void **state)
{
	struct err err = ERR_INIT;
	int fd[2], status;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(fs_mkdir("run", &err), 0);
	assert_int_equal(pipe(fd), 0);
	pid = fork();
	if (!pid) {
		struct fs_lock *lock;

		if (fs_lock("run", &lock, &err) || write(fd[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(1);
	}
	assert_int_equal(read(fd[0], &byte, 1), 1);
	assert_int_equal(try_lock_elsewhere("run"), 1);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(try_lock_elsewhere("run"), 0);
	close(fd[0]);
	close(fd[1]);
}

static void fs_absolute__links_and_dots__are_resolved(void **state)
{
	struct place *place = *state;
	char *expected = fs_join(place->temp, "dir"), *path;
	struct err err = ERR_INIT;

	assert_int_equal(fs_mkdir("dir", &err), 0);
	assert_int_equal(symlink("dir", "link"), 0);
	path = fs_absolute("link/../dir/.");
	assert_non_null(path);
	assert_true(path[0] == '/');
	assert_string_equal(strrchr(path, '/'), strrchr(expected, '/'));
	free(path);
	assert_null(fs_absolute("none"));
	free(expected);
}

static void fs_file_name__path__is_the_part_behind_its_directory(void **state)
{
	static const struct {
		const char *path, *dir, *name;
	} cases[] = {
		{ "a", ".", "a" },   { "a/b", "a", "b" },   { "/a/b", "/a", "b" },
		{ "/a", "/", "a" },  { "/", "/", "" },      { "", ".", "" },
		{ "./a", ".", "a" }, { "a/b/", "a/b", "" }, { "a\\b", ".", "a\\b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *dir = fs_dirname(cases[i].path);

		assert_string_equal(dir, cases[i].dir);
		assert_string_equal(fs_file_name(cases[i].path), cases[i].name);
		free(dir);
	}
}

static void check_program(const char *name, const char *expected)
{
	char *found = fs_find_program(name);

	if (!found != !expected || (found && strcmp(found, expected)))
		fail_msg("'%s' is %s", name, found ? found : "not found");
	free(found);
}

static void fs_find_program__path__is_searched_in_order(void **state)
{
	char *old = xstrdup(getenv("PATH"));
	struct err err = ERR_INIT;

	(void)state;
	put("one/tool", "not executable");
	put("two/tool", "");
	put("three/tool", "");
	put("three/other", "");
	put("here", "");
	assert_int_equal(fs_mkdir_all("two/other", &err), 0);
	assert_int_equal(fs_set_executable("two/tool", &err), 0);
	assert_int_equal(fs_set_executable("three/tool", &err), 0);
	assert_int_equal(fs_set_executable("three/other", &err), 0);
	assert_int_equal(fs_set_executable("here", &err), 0);
	setenv("PATH", "none:one:two:three", 1);
	check_program("tool", "two/tool");
	check_program("other", "three/other");
	check_program("here", NULL);
	check_program("none", NULL);
	check_program("", NULL);
	check_program("./here", "./here");
	check_program("one/tool", NULL);
	setenv("PATH", "one::two", 1);
	check_program("here", "./here");
	setenv("PATH", "", 1);
	check_program("here", "./here");
	unsetenv("PATH");
	check_program("tool", NULL);
	check_program("two/tool", "two/tool");
	setenv("PATH", old, 1);
	free(old);
}

static void fs_temp_dir__tmpdir__is_where_it_is_made(void **state)
{
	struct place *place = *state;
	struct err err = ERR_INIT;
	struct stat st;
	char *dir;

	setenv("TMPDIR", place->temp, 1);
	dir = fs_temp_dir(&err);
	assert_non_null(dir);
	assert_int_equal(strncmp(dir, place->temp, strlen(place->temp)), 0);
	assert_int_equal(stat(dir, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	free(dir);
	setenv("TMPDIR", "none", 1);
	assert_null(fs_temp_dir(&err));
	check_failed(-1, &err, ERR_FAILED, "none");
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(fs_predicates__each_kind_of_file__is_distinguished),
		TEST(fs_remove_tree__links__are_not_followed),
		TEST(fs_remove_tree__a_link_itself__goes_alone),
		TEST(fs_remove_tree__file_or_nothing__is_fine),
		TEST(fs_read__limit__is_the_largest_size_taken),
		TEST(fs_write_atomic__readers__see_old_or_new),
		TEST(fs_sync__file_or_pipe__is_fine),
		TEST(fs_set_executable__who_may_read__may_run),
		TEST(fs_lock__held__keeps_others_out),
		TEST(fs_lock__holder_killed__is_free),
		TEST(fs_absolute__links_and_dots__are_resolved),
		TEST(fs_file_name__path__is_the_part_behind_its_directory),
		TEST(fs_find_program__path__is_searched_in_order),
		TEST(fs_temp_dir__tmpdir__is_where_it_is_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
