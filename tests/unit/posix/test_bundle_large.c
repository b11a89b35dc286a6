#include "rundir/bundle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../run_fixture.h"
#include "rundir/source.h"

/* Just above what 32 bits hold. */
#define LARGE INT64_C(4294971392)

/* A file of zeros that takes no room. */
static void put_sparse(struct fixture *fixture, const char *member, int64_t size)
{
	char *path = fixture_path(fixture, member);

	fixture_put(fixture, member, "", 0);
	assert_int_equal(truncate(path, size), 0);
	free(path);
}

/* Does `program`, run with `option` on the bundle, say `text`? Skipped where the program is not there. */
static bool says(const char *program, const char *option, const char *zip, const char *text)
{
	char *line = xasprintf("%s %s '%s'", program, option, zip);
	char *found = fs_find_program(program);
	struct strbuf output = STRBUF_INIT;
	bool good = true;
	char buf[4096];
	size_t len;

	if (found) {
		FILE *pipe = popen(line, "r");

		assert_non_null(pipe);
		while ((len = fread(buf, 1, sizeof(buf), pipe)) > 0)
			strbuf_add(&output, buf, len);
		good = !pclose(pipe) && strstr(output.buf, text);
	}
	strbuf_release(&output);
	free(found);
	free(line);
	return good;
}

static void bundle_write__file_above_4_gb__is_zip64_in_little_memory(void **state)
{
	struct bundle_options options = { .compress = true };
	struct fixture *fixture = *state;
	struct run_source *source;
	struct rusage before, after;
	struct err err = ERR_INIT;

	put_sparse(fixture, "trace.etl", LARGE);
	getrusage(RUSAGE_SELF, &before);
	if (bundle_write(fixture->run, fixture->zip, &options, &err))
		fail_msg("%s", err.msg);
	getrusage(RUSAGE_SELF, &after);
	assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
	assert_int_equal(run_source_open(fixture->zip, &source, &err), 0);
	assert_int_equal(run_source_size(source, "trace.etl"), LARGE);
	run_source_free(source);
	assert_true(says("unzip", "-l", fixture->zip, "4294971392"));
	assert_true(says("python3", "-m zipfile -l", fixture->zip, "4294971392"));
}

/* A disk of 1 MB at `path`. */
static bool mount_small(const char *path)
{
	struct err err = ERR_INIT;

	return !fs_mkdir(path, &err) && !mount("none", path, "tmpfs", 0, "size=1m");
}

static bool can_mount(const struct fixture *fixture)
{
	char *small = fs_join(fixture->temp, "small");
	bool can = mount_small(small) && !umount(small);

	free(small);
	return can;
}

static void bundle_write__full_disk__leaves_nothing_and_says_where(void **state)
{
	struct fixture *fixture = *state;
	char *small, *zip, *random;

	if (!can_mount(fixture)) {
		print_message("a small tmpfs cannot be mounted here\n");
		skip();
	}
	small = fs_join(fixture->temp, "small");
	zip = fs_join(small, "run.zip");
	random = xcalloc(3000000, 1);
	for (size_t i = 0; i < 3000000; i++)
		random[i] = (char)rand();
	fixture_put(fixture, "trace.etl", random, 3000000);
	for (int compress = 0; compress < 2; compress++) {
		struct bundle_options options = { .compress = compress };
		struct strvec names = STRVEC_INIT;
		struct err err = ERR_INIT;
		int ret;

		assert_true(mount_small(small));
		ret = bundle_write(fixture->run, zip, &options, &err);
		fs_list(small, &names, &err);
		assert_int_equal(umount(small), 0);
		assert_int_equal(ret, -1);
		assert_int_equal(names.nr, 0);
		assert_int_equal(err.code, ERR_NO_SPACE);
		assert_non_null(strstr(err.msg, small));
		assert_non_null(strstr(err.msg, "another place with -o"));
		err_clear(&err);
		strvec_release(&names);
	}
	free(random);
	free(small);
	free(zip);
}

/* The last bytes of a zip are written when it is closed. */
static void bundle_write__disk_full_at_any_size__leaves_nothing(void **state)
{
	struct bundle_options options = { .compress = false };
	struct fixture *fixture = *state;
	char *small, *zip;
	bool fitted = false, failed = false;

	if (!can_mount(fixture)) {
		print_message("a small tmpfs cannot be mounted here\n");
		skip();
	}
	small = fs_join(fixture->temp, "small");
	zip = fs_join(small, "run.zip");
	for (size_t size = 1000000; size < 1060000; size += 2000) {
		struct strvec names = STRVEC_INIT;
		struct err err = ERR_INIT;
		char *bytes = xcalloc(size, 1);
		int ret;

		fixture_put(fixture, "trace.etl", bytes, size);
		free(bytes);
		assert_true(mount_small(small));
		ret = bundle_write(fixture->run, zip, &options, &err);
		fs_list(small, &names, &err);
		assert_int_equal(umount(small), 0);
		assert_int_equal(names.nr, ret ? 0 : 1);
		assert_int_equal(err.code, ret ? ERR_NO_SPACE : ERR_NONE);
		fitted |= !ret;
		failed |= !!ret;
		err_clear(&err);
		strvec_release(&names);
	}
	assert_true(fitted && failed);
	free(small);
	free(zip);
}

static void bundle_write__directory_without_permission__says_so(void **state)
{
	struct bundle_options options = { .compress = true };
	struct fixture *fixture = *state;
	struct err err = ERR_INIT;
	char *dir, *zip;

	/* root may write anywhere. */
	if (!geteuid()) {
		print_message("no directory refuses root\n");
		skip();
	}
	dir = fs_join(fixture->temp, "closed");
	zip = fs_join(dir, "run.zip");
	assert_int_equal(mkdir(dir, 0500), 0);
	assert_int_equal(bundle_write(fixture->run, zip, &options, &err), -1);
	assert_non_null(strstr(err.msg, "Permission denied"));
	err_clear(&err);
	free(dir);
	free(zip);
}

static void bundle_write__modes_and_times__are_the_files(void **state)
{
	struct bundle_options options = { .compress = true };
	struct fixture *fixture = *state;
	struct err err = ERR_INIT;
	struct stat before, after;
	char *unpack, *path;

	if (system("unzip -v >/dev/null 2>&1")) {
		print_message("unzip is not installed\n");
		skip();
	}
	unpack = xasprintf("unzip -q '%s' -d '%s'", fixture->zip, fixture->temp);
	path = fixture_path(fixture, "open.sh");
	assert_int_equal(bundle_write(fixture->run, fixture->zip, &options, &err), 0);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(fs_remove_tree(fixture->run, &err), 0);
	assert_int_equal(system(unpack), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(after.st_mtime, before.st_mtime);
	assert_true(after.st_mode & S_IXUSR);
	free(unpack);
	free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(bundle_write__file_above_4_gb__is_zip64_in_little_memory),
		TEST(bundle_write__full_disk__leaves_nothing_and_says_where),
		TEST(bundle_write__disk_full_at_any_size__leaves_nothing),
		TEST(bundle_write__directory_without_permission__says_so),
		TEST(bundle_write__modes_and_times__are_the_files),
	};

	/* The large file has holes. To read them takes memory of the page cache on a disk, but none on tmpfs. */
	setenv("STAGETRACE_LIMITS", "1000", 1);
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
